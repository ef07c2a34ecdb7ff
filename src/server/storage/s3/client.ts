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
import { withTimeout } from '../../timeout.ts'
import type { UploadGrant } from '../storage.ts'

const connectTimeoutMs = 5000
/**
 * Timeout for requests that send file bytes to the bucket, at most one part per request. All other
 * requests go through `senders`, which have their own timeouts.
 */
const requestTimeoutMs = 60_000

/**
 * S3 error codes that mean "not found". `InvalidPart` is one of them: a part that was sent again
 * after it was listed has replaced the listed one.
 */
const notFoundErrorNames = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload', 'InvalidPart'])

/** The maximum lifetime of a SigV4 presigned URL, in seconds. */
const maxLifetimeSeconds = 7 * 24 * 60 * 60

interface S3Timeout {
  /**
   * Milliseconds per attempt until the response headers arrive. On a timeout, the client library
   * retries over another connection.
   */
  attemptMs: number
  /**
   * Milliseconds in total, for all attempts, the pauses between them, and the body. For an object's
   * bytes, only the time until the headers arrive counts.
   */
  totalMs: number
}

export interface S3Timeouts {
  /** For requests whose response a caller waits for. */
  interactive: S3Timeout
  /** For assembling an object from up to 10,000 parts. */
  complete: S3Timeout
  /** For background jobs that list the whole bucket. */
  background: S3Timeout
}

/**
 * A browser waits 30 s for a call, and the proxy in `deploy/nginx` 130 s. If the bucket doesn't
 * respond, the client must get an error within that time. So `interactive` is shorter than both,
 * and confirming an upload, which takes `interactive` and then `complete`, is shorter than the
 * proxy's timeout.
 */
export const defaultTimeouts: S3Timeouts = {
  interactive: { attemptMs: 10_000, totalMs: 20_000 },
  complete: { attemptMs: 60_000, totalMs: 60_000 },
  background: { attemptMs: 60_000, totalMs: 180_000 },
}

/** Sends a command to the bucket and returns its response. */
export type SendCommand = <Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  command: $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  options?: { abortSignal?: AbortSignal },
) => Promise<Output>

export type CommandSenders = Readonly<Record<keyof S3Timeouts, SendCommand>>

/**
 * Creates functions that send commands through a client with these timeouts. On a timeout they
 * abort the command and throw a `TimeoutError`. They rethrow other errors from the client.
 */
export function createSenders(
  client: Pick<S3Client, 'send'>,
  timeouts: S3Timeouts,
): CommandSenders {
  return {
    interactive: createSender(client, timeouts.interactive),
    complete: createSender(client, timeouts.complete),
    background: createSender(client, timeouts.background),
  }
}

function createSender(
  client: Pick<S3Client, 'send'>,
  { attemptMs, totalMs }: S3Timeout,
): SendCommand {
  return async (command, { abortSignal } = {}) => {
    const timeout = new AbortController()
    const signal = abortSignal ? AbortSignal.any([timeout.signal, abortSignal]) : timeout.signal
    const options = { requestTimeout: attemptMs, abortSignal: signal }
    try {
      return await withTimeout(client.send(command, options), totalMs)
    } catch (error) {
      // Abort only after a failure. After a success, this would cut off an object's body.
      timeout.abort()
      throw error
    }
  }
}

/**
 * Two clients: one sends the server's own requests, the other signs URLs. A signature covers the
 * host, so URLs for browsers must be signed for the address that browsers use.
 */
export interface S3Clients {
  internalClient: S3Client
  signingClient: S3Client
  /** Senders that use `internalClient`, with timeouts. */
  senders: CommandSenders
}

/**
 * Creates both clients from the settings. They connect on first use. The caller must destroy them.
 */
export function createS3Clients(settings: S3Settings, timeouts: S3Timeouts): S3Clients {
  const { region, endpoint, publicEndpoint, forcePathStyle, credentials } = settings
  const common = {
    region,
    forcePathStyle,
    ...(credentials && { credentials }),
    // By default, a presigned URL would require the checksum of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  }
  const internalClient = new S3Client({ ...common, ...(endpoint && { endpoint: endpoint.href }) })
  const browserEndpoint = publicEndpoint ?? endpoint
  const signingClient = new S3Client({
    ...common,
    ...(browserEndpoint && { endpoint: browserEndpoint.href }),
  })
  return { internalClient, signingClient, senders: createSenders(internalClient, timeouts) }
}

/**
 * Returns the origin that all presigned URLs share, such as
 * https://bucket.s3.eu-central-1.amazonaws.com.
 */
export async function originOf(signingClient: S3Client, bucket: string): Promise<string> {
  const url = await getSignedUrl(signingClient, new HeadBucketCommand({ Bucket: bucket }))
  return new URL(url).origin
}

/**
 * Awaits a response from S3.
 * @throws {AppError} UNAVAILABLE if the request fails or times out.
 */
export async function orUnavailable<T>(response: Promise<T>): Promise<T> {
  try {
    return await response
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError('UNAVAILABLE', { cause })
  }
}

/**
 * Awaits a response from S3. Returns null if the object or multipart upload doesn't exist.
 * @throws {AppError} UNAVAILABLE if the request fails or times out.
 */
export async function nullIfNotFound<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response
  } catch (cause) {
    if (cause instanceof S3ServiceException && notFoundErrorNames.has(cause.name)) return null
    throw new AppError('UNAVAILABLE', { cause })
  }
}

/**
 * Signs a URL for uploading one part with exactly this length and type. The client library doesn't
 * sign a part's type, so the header is added before signing.
 */
export function signPart(
  signingClient: S3Client,
  command: UploadPartCommand,
  { mimeType, expiresAt }: UploadGrant,
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
  return getSignedUrl(signingClient, command, { ...signingWindow(now, expiresAt), signableHeaders })
}

/**
 * Returns a URL's signing date and its lifetime in seconds. SigV4 counts whole seconds from the
 * signing date, so the lifetime is rounded down, and the URL expires no later than `expiresAt`. If
 * `expiresAt` has passed, the signing date is moved back, so that storage reports an expired URL.
 */
export function signingWindow(
  now: Date,
  expiresAt: Date,
): { signingDate: Date; expiresIn: number } {
  const end = Math.floor(expiresAt.getTime() / 1000)
  const start = Math.min(Math.floor(now.getTime() / 1000), end - 1)
  return {
    signingDate: new Date(start * 1000),
    expiresIn: Math.min(end - start, maxLifetimeSeconds),
  }
}
