import type { CallInput, CallResponse, Route } from '../../api/call.ts'
import type { RecordLink, StartedUpload, UploadTicket } from '../records/upload-record.ts'
import type { Timers } from '../timers.ts'
import type { CallError, Outcome } from '../upload-errors.ts'
import { TransferError } from '../upload-ports.ts'
import { createRetries, isTransient, type RetryDeps, type RetryOptions } from './retry-policy.ts'
import { callTimeoutMs } from './storage-request.ts'

/** An API call that never rejects. An aborted call resolves as if there were no response. */
type UploadCall<R extends Route, Input> = (
  input: Input,
  signal: AbortSignal,
) => Promise<Outcome<CallResponse<R>>>

/** Files to start in one link. */
export interface LinkStart {
  /** The link's options, or how to identify it if it exists. */
  link: RecordLink
  files: CallInput<'POST /api/links'>['body']['files']
  ownerId: string
  expirationDays: string
  idempotencyKey: string
}

/** Starts all files, or none of them if one is refused. `link` identifies the link from then on. */
export type StartLink = (
  start: LinkStart,
  signal: AbortSignal,
) => Promise<Outcome<{ link: RecordLink; uploads: readonly StartedUpload[] }>>

/** Identifies an upload, with the token that authorizes calls for an upload to a request. */
type UploadKey = Pick<UploadTicket, 'cloudKey' | 'uploadToken'>

export interface UploadCalls {
  getUploadUrl: UploadCall<
    'POST /api/files/get-upload-url',
    CallInput<'POST /api/files/get-upload-url'>['body']
  >
  startLink: StartLink
  listParts: UploadCall<'GET /api/files/upload-parts', UploadKey>
  confirmUpload: UploadCall<
    'POST /api/files/confirm-upload',
    CallInput<'POST /api/files/confirm-upload'>['body'] & UploadKey
  >
  /** Frees the upload's slot and removes its bytes. */
  abortUpload(upload: UploadKey): Promise<Outcome<unknown>>
  currentUser(): Promise<Outcome<Pick<CallResponse<'GET /api/auth/user'>, 'id'>>>
}

export type SignParts = UploadCall<
  'POST /api/files/upload-parts',
  CallInput<'POST /api/files/upload-parts'>['body'] & UploadKey
>

/**
 * True if get-upload-url may be retried after this error. Server errors (500), insufficient storage
 * (507) and a full disk are shown immediately: no bytes have been sent yet, so nothing is lost.
 */
export function canRetryStart(callError: CallError): boolean {
  const { status, code } = callError
  return isTransient(callError) && status !== 500 && status !== 507 && code !== 'DISK_FULL'
}

/** A call to retry until its response is final. */
export interface RepeatedCall<Input, Value> {
  /** Makes the call once. `signal` is aborted on a timeout. */
  call: (input: Input, signal: AbortSignal) => Promise<Outcome<Value>>
  input: Input
  /** The timeout per attempt, in milliseconds. Defaults to 30 s. */
  timeoutMs?: number
  /** True if the call should be retried after this error. Defaults to `isTransient`. */
  shouldRetry?: (callError: CallError) => boolean
  /** True if nothing depends on the response once the upload has ended, so it can be aborted. */
  isAbortable?: boolean
}

export interface CallDeps extends RetryDeps {
  timers: Pick<Timers, 'runAfter'>
}

/**
 * Retries a call until the response is final. Returns the last error when no further attempt is
 * made.
 * @param options the signal cancels the waits, and a pending call if that is abortable.
 * @throws the signal's reason if aborted before there is a final response.
 */
export async function callWithRetries<Input, Value>(
  repeatedCall: RepeatedCall<Input, Value>,
  options: RetryOptions,
  deps: CallDeps,
): Promise<Outcome<Value>> {
  const { shouldRetry = isTransient } = repeatedCall
  const retries = createRetries(options, deps)
  for (;;) {
    const outcome = await callWithTimeout(repeatedCall, deps.timers, options.signal)
    if (outcome.ok || !shouldRetry(outcome.error)) return outcome
    if (!(await retries.waitForNext(outcome.error))) return outcome
  }
}

/**
 * Makes a call once. A timeout counts as an error without a status.
 * @param signal cancels an abortable call.
 */
export async function callWithTimeout<Input, Value>(
  repeatedCall: RepeatedCall<Input, Value>,
  timers: CallDeps['timers'],
  signal?: AbortSignal,
): Promise<Outcome<Value>> {
  const { call, input, timeoutMs = callTimeoutMs, isAbortable = false } = repeatedCall
  const timeout = new AbortController()
  const cancelTimeout = timers.runAfter(timeoutMs, () => timeout.abort())
  const signals = isAbortable && signal ? [signal, timeout.signal] : [timeout.signal]
  try {
    return await call(input, AbortSignal.any(signals))
  } finally {
    cancelTimeout()
  }
}

/**
 * Returns the value from a call that a transfer depends on.
 * @throws {TransferError} if the call failed.
 */
export function requireValue<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value
  const { status } = outcome.error
  if (status === null) throw new TransferError('network')
  if (status === 401) throw new TransferError('signed-out', status)
  throw new TransferError(status === 404 || status === 410 ? 'gone' : 'status', status)
}
