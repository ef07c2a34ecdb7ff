import { S3ServiceException } from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'
import { TimeoutError } from '../../timeout.ts'
import { StoreSilent } from '../storage.ts'

/**
 * The names of S3's errors that mean "not there". `InvalidPart` is one: the part was sent again
 * after it was listed, so the listed part no longer exists.
 */
const missing = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload', 'InvalidPart'])

/**
 * Awaits an answer of the bucket.
 * @throws {AppError} UNAVAILABLE when the bucket does not answer as it should; a {StoreSilent} when
 * it did not answer in time.
 */
export async function reach<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    throw awayFor(cause)
  }
}

/**
 * Awaits an answer of the bucket about something that may be missing.
 * @returns null when it is missing.
 * @throws {AppError} UNAVAILABLE when the bucket does not answer as it should; a {StoreSilent} when
 * it did not answer in time.
 */
export async function reachUnlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (cause) {
    if (cause instanceof S3ServiceException && missing.has(cause.name)) return null
    throw awayFor(cause)
  }
}

/** Returns the error for a bucket that is away: another one if it did not answer in time. */
function awayFor(cause: unknown): AppError {
  // The client library gives this name to an error of its own times.
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
  const isSilent = cause instanceof TimeoutError || isTimeout
  return isSilent ? new StoreSilent(cause) : new AppError('UNAVAILABLE', { cause })
}
