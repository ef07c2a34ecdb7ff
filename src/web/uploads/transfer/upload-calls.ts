import type { CallInput, CallResponse, JsonEndpointName } from '../../api/call.ts'
import type { Timers } from '../timers.ts'
import type { CallError, Outcome } from '../upload-errors.ts'
import { TransferError } from '../upload-ports.ts'
import { isTransient, Retries, type RetryDeps, type RetryOptions } from './retry-policy.ts'
import { callTimeoutMs } from './storage-request.ts'

/** An API call that never rejects. An aborted call resolves as if there were no response. */
type UploadCall<Name extends JsonEndpointName, Input> = (
  input: Input,
  signal: AbortSignal,
) => Promise<Outcome<CallResponse<Name>>>

export interface UploadCalls {
  getUploadUrl: UploadCall<'getUploadUrl', CallInput<'getUploadUrl'>['body']>
  /** Starts a link with files, or none of them if one is refused. */
  createLink: UploadCall<'createLink', CallInput<'createLink'>['body']>
  /** Adds files to a link, or none of them if one is refused. */
  addFiles: UploadCall<'addFiles', Pick<CallInput<'addFiles'>, 'params' | 'body'>>
  listParts: UploadCall<'listParts', NonNullable<CallInput<'listParts'>['query']>>
  confirmUpload: UploadCall<'confirmUpload', CallInput<'confirmUpload'>['body']>
  /** Frees the upload's slot and removes its bytes. */
  abortUpload(cloudKey: CallInput<'abortUpload'>['body']['cloudKey']): Promise<Outcome<unknown>>
  currentUser(): Promise<Outcome<Pick<CallResponse<'currentUser'>, 'id'>>>
}

export type SignParts = UploadCall<'signParts', CallInput<'signParts'>['body']>

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
  timers: Timers
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
  const retries = new Retries(options, deps)
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
  { call, input, timeoutMs = callTimeoutMs, isAbortable = false }: RepeatedCall<Input, Value>,
  timers: Timers,
  signal?: AbortSignal,
): Promise<Outcome<Value>> {
  const timeoutController = new AbortController()
  const cancelTimeout = timers.runAfter(timeoutMs, () =>
    timeoutController.abort(new DOMException('No answer came in time.', 'TimeoutError')),
  )
  try {
    const { signal: timeout } = timeoutController
    return await call(input, isAbortable && signal ? AbortSignal.any([signal, timeout]) : timeout)
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
