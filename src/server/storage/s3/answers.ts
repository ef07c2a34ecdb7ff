import { S3ServiceException } from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'

/** `InvalidPart`: the part was sent anew since it was listed, so what was listed is gone. */
const missing = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload', 'InvalidPart'])

/** @throws {AppError} UNAVAILABLE when the bucket does not answer as it should. */
export async function reach<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    throw new AppError('UNAVAILABLE', { cause })
  }
}

/**
 * @returns null when what was asked for is not there.
 * @throws {AppError} UNAVAILABLE when the bucket does not answer as it should.
 */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (cause) {
    if (cause instanceof S3ServiceException && missing.has(cause.name)) return null
    throw new AppError('UNAVAILABLE', { cause })
  }
}
