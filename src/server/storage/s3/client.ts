import {
  type $Command,
  HeadBucketCommand,
  S3Client,
  type S3ClientResolvedConfig,
  S3ServiceException,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  type UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Settings } from '../../config/s3-settings.ts'
import { AppError } from '../../errors.ts'
import { TimeoutError, withTimeout } from '../../timeout.ts'
import { StoreTimeout, type UploadGrant } from '../storage.ts'

const connectionMs = 5000
/**
 * How long a request may take that carries bytes of a file to the bucket, one part at most. All
 * other requests are sent by `asks`, with times of their own.
 */
const sendingMs = 60_000

/**
 * The names of S3's errors that mean "not there". `InvalidPart` is one: the part was sent again
 * after it was listed, so the listed part no longer exists.
 */
const missing = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload', 'InvalidPart'])

/** The longest life of a URL that SigV4 allows, in seconds. */
const longestSeconds = 7 * 24 * 60 * 60

/** How long the server waits for an answer of the bucket. */
interface S3Wait {
  /**
   * For one try, in milliseconds: from its beginning to the headers of the answer. After that, the
   * client library tries again, over another connection.
   */
  tryMs: number
  /**
   * For the whole answer, in milliseconds: all tries, the pauses between them, and the body. Of an
   * object's bytes, only the headers must have come by then.
   */
  allMs: number
}

/** How long each kind of request may take. */
export interface S3Waits {
  /** Somebody waits for the answer. */
  prompt: S3Wait
  /** The bucket makes one object of up to 10,000 parts. */
  complete: S3Wait
  /** A job lists the whole bucket, and nobody waits for it. */
  patient: S3Wait
}

/**
 * A browser waits 30 s for a call, and the proxy of `deploy/nginx` 130 s. Whoever waits must hear
 * within that time that the bucket does not answer. So `prompt` is shorter than both, and the
 * confirm of an upload, which needs `prompt` and then `complete`, is shorter than the proxy.
 */
export const usualWaits: S3Waits = {
  prompt: { tryMs: 10_000, allMs: 20_000 },
  complete: { tryMs: 60_000, allMs: 60_000 },
  patient: { tryMs: 60_000, allMs: 180_000 },
}

/** Sends a command to the bucket and returns its answer. */
export type Ask = <Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  command: $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  options?: { abortSignal?: AbortSignal },
) => Promise<Output>

/** For each kind of request, the function that sends it. */
export type Asks = Readonly<Record<keyof S3Waits, Ask>>

/**
 * Makes the functions that send commands by a client and wait no longer than `waits` says. After
 * that they give the command up and throw a {TimeoutError}. Otherwise they throw what the client
 * throws.
 */
export function asksOf(client: Pick<S3Client, 'send'>, waits: S3Waits): Asks {
  return {
    prompt: askInTime(client, waits.prompt),
    complete: askInTime(client, waits.complete),
    patient: askInTime(client, waits.patient),
  }
}

function askInTime(client: Pick<S3Client, 'send'>, { tryMs, allMs }: S3Wait): Ask {
  return async (command, { abortSignal } = {}) => {
    const stop = new AbortController()
    const signal = abortSignal ? AbortSignal.any([stop.signal, abortSignal]) : stop.signal
    const options = { requestTimeout: tryMs, abortSignal: signal }
    try {
      return await withTimeout(client.send(command, options), allMs)
    } catch (error) {
      // After a success the signal must stay as it is: it would end the body of an object.
      stop.abort()
      throw error
    }
  }
}

/**
 * One client makes the server's own requests, the other signs URLs. A signature covers the host, so
 * URLs for browsers must be signed for the address that browsers use.
 */
export interface S3Clients {
  own: S3Client
  signing: S3Client
  /** They send commands by `own`, and give up when the bucket does not answer in time. */
  asks: Asks
}

/**
 * Makes both clients from the settings. They connect only when they are used. Whoever makes them
 * destroys them.
 */
export function createS3Clients(settings: S3Settings, waits: S3Waits): S3Clients {
  const { region, endpoint, publicEndpoint, forcePathStyle, credentials } = settings
  const common = {
    region,
    forcePathStyle,
    ...(credentials && { credentials }),
    // With the default value, a presigned URL would demand the checksum of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
    requestHandler: {
      connectionTimeout: connectionMs,
      requestTimeout: sendingMs,
      throwOnRequestTimeout: true,
    },
  }
  const own = new S3Client({ ...common, ...(endpoint && { endpoint: endpoint.href }) })
  const seen = publicEndpoint ?? endpoint
  const signing = new S3Client({ ...common, ...(seen && { endpoint: seen.href }) })
  return { own, signing, asks: asksOf(own, waits) }
}

/**
 * Returns the origin that every presigned URL begins with, such as
 * https://bucket.s3.eu-central-1.amazonaws.com.
 */
export async function originOf(signing: S3Client, bucket: string): Promise<string> {
  const url = await getSignedUrl(signing, new HeadBucketCommand({ Bucket: bucket }))
  return new URL(url).origin
}

/**
 * Awaits an answer of the bucket.
 * @throws {AppError} UNAVAILABLE when the bucket does not answer as it should; {StoreTimeout} when
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
 * @throws {AppError} UNAVAILABLE when the bucket does not answer as it should; {StoreTimeout} when
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
  return isSilent ? new StoreTimeout(cause) : new AppError('UNAVAILABLE', { cause })
}

/**
 * Signs a URL for one part, which storage accepts only with this length and this type. The client
 * library does not sign a type for parts, so the header is added before signing.
 */
export function signPart(
  signing: S3Client,
  command: UploadPartCommand,
  { mimeType, until }: UploadGrant,
  now: Date,
): Promise<string> {
  command.middlewareStack.add(
    (next) => (args) => {
      const { request } = args as { request: { headers: Record<string, string> } }
      request.headers['content-type'] = mimeType
      return next(args)
    },
    { step: 'build' },
  )
  const signableHeaders = new Set(['host', 'content-length', 'content-type'])
  return getSignedUrl(signing, command, { ...lifeOf(now, until), signableHeaders })
}

/**
 * Returns when the life of a URL begins, and how many seconds it lasts. SigV4 counts whole seconds
 * from the signing date, so the life is rounded down, and the URL ends at `until` or before. If
 * `until` has passed, the signing date is moved back. Storage then answers that the URL has
 * expired.
 */
export function lifeOf(now: Date, until: Date): { signingDate: Date; expiresIn: number } {
  const end = Math.floor(until.getTime() / 1000)
  const begin = Math.min(Math.floor(now.getTime() / 1000), end - 1)
  return { signingDate: new Date(begin * 1000), expiresIn: Math.min(end - begin, longestSeconds) }
}
