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
 * Timeout for requests that send file bytes to the bucket, at most one part each. All other
 * requests go through `asks`, with their own timeouts.
 */
const sendingMs = 60_000

/**
 * S3 error codes that mean "not found". `InvalidPart` is included: if a part is sent again after it
 * was listed, the listed part no longer exists.
 */
const missing = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload', 'InvalidPart'])

/** The maximum lifetime of a SigV4 presigned URL, in seconds. */
const longestSeconds = 7 * 24 * 60 * 60

/** Timeouts for a response of the bucket. */
interface S3Wait {
  /**
   * Per attempt, in milliseconds, until the response headers arrive. After that, the client library
   * retries over another connection.
   */
  tryMs: number
  /**
   * In total, in milliseconds: all attempts, the pauses between them, and the body. For the bytes
   * of an object, only until the headers arrive.
   */
  allMs: number
}

/** Timeouts for each kind of request. */
export interface S3Waits {
  /** A caller waits for the response. */
  prompt: S3Wait
  /** The bucket assembles an object from up to 10,000 parts. */
  complete: S3Wait
  /** A background job lists the whole bucket. */
  patient: S3Wait
}

/**
 * A browser waits 30 s for a call, and the proxy of `deploy/nginx` 130 s. Clients must learn within
 * that time that the bucket isn't responding. So `prompt` is shorter than both, and confirming an
 * upload, which takes `prompt` and then `complete`, is shorter than the proxy's timeout.
 */
export const usualWaits: S3Waits = {
  prompt: { tryMs: 10_000, allMs: 20_000 },
  complete: { tryMs: 60_000, allMs: 60_000 },
  patient: { tryMs: 60_000, allMs: 180_000 },
}

/** Sends a command to the bucket and returns its response. */
export type Ask = <Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  command: $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  options?: { abortSignal?: AbortSignal },
) => Promise<Output>

/** The function that sends each kind of request. */
export type Asks = Readonly<Record<keyof S3Waits, Ask>>

/**
 * Creates functions that send commands through a client with the timeouts in `waits`. On a timeout
 * they abort the command and throw a {TimeoutError}. Other errors are those of the client.
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
      // Abort only after a failure. After a success, this would cut off the body of an object.
      stop.abort()
      throw error
    }
  }
}

/**
 * One client sends the server's own requests, the other signs URLs. A signature covers the host, so
 * URLs for browsers must be signed for the address that browsers use.
 */
export interface S3Clients {
  own: S3Client
  signing: S3Client
  /** These send commands through `own`, with timeouts. */
  asks: Asks
}

/**
 * Creates both clients from the settings. They connect on first use. The caller must destroy them.
 */
export function createS3Clients(settings: S3Settings, waits: S3Waits): S3Clients {
  const { region, endpoint, publicEndpoint, forcePathStyle, credentials } = settings
  const common = {
    region,
    forcePathStyle,
    ...(credentials && { credentials }),
    // With the default, a presigned URL would require the checksum of an empty body.
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
 * Returns the origin of all presigned URLs, such as https://bucket.s3.eu-central-1.amazonaws.com.
 */
export async function originOf(signing: S3Client, bucket: string): Promise<string> {
  const url = await getSignedUrl(signing, new HeadBucketCommand({ Bucket: bucket }))
  return new URL(url).origin
}

/**
 * Awaits a response of the bucket.
 * @throws {AppError} UNAVAILABLE if the request fails; {StoreTimeout} if it times out.
 */
export async function reach<T>(response: Promise<T>): Promise<T> {
  try {
    return await response
  } catch (cause) {
    throw awayFor(cause)
  }
}

/**
 * Awaits a response of the bucket about something that may not exist.
 * @returns null if it doesn't exist.
 * @throws {AppError} UNAVAILABLE if the request fails; {StoreTimeout} if it times out.
 */
export async function reachUnlessMissing<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response
  } catch (cause) {
    if (cause instanceof S3ServiceException && missing.has(cause.name)) return null
    throw awayFor(cause)
  }
}

/** Converts the error of a request. Timeouts get a separate class. */
function awayFor(cause: unknown): AppError {
  // The client library uses this name for its own timeouts.
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
  const isSilent = cause instanceof TimeoutError || isTimeout
  return isSilent ? new StoreTimeout(cause) : new AppError('UNAVAILABLE', { cause })
}

/**
 * Signs a URL for uploading one part with exactly this length and type. The client library doesn't
 * sign the type of parts, so the header is added before signing.
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
 * Returns the signing date of a URL and its lifetime in seconds. SigV4 counts whole seconds from
 * the signing date, so the lifetime is rounded down, and the URL ends no later than `until`. If
 * `until` has passed, the signing date is moved back, so that storage answers that the URL has
 * expired.
 */
export function lifeOf(now: Date, until: Date): { signingDate: Date; expiresIn: number } {
  const end = Math.floor(until.getTime() / 1000)
  const begin = Math.min(Math.floor(now.getTime() / 1000), end - 1)
  return { signingDate: new Date(begin * 1000), expiresIn: Math.min(end - begin, longestSeconds) }
}
