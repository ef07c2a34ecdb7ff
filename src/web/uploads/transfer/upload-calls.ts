import type { CallAnswer, CallInput, JsonEndpointName } from '../../api/call.ts'
import type { Timers } from '../timers.ts'
import type { Outcome, Refusal } from '../upload-errors.ts'
import { TransferFailed } from '../upload-ports.ts'
import { mayPass, Retries, type RetryDeps, type RetryOptions } from './retry-policy.ts'
import { callTimeoutMs } from './storage-request.ts'

/** An API call. It doesn't reject. An aborted call ends as if there were no response. */
type UploadCall<Name extends JsonEndpointName, Input> = (
  input: Input,
  signal: AbortSignal,
) => Promise<Outcome<CallAnswer<Name>>>

/** The API calls of an upload. */
export interface UploadCalls {
  getUploadUrl: UploadCall<'getUploadUrl', CallInput<'getUploadUrl'>['body']>
  listParts: UploadCall<'listParts', NonNullable<CallInput<'listParts'>['query']>>
  confirmUpload: UploadCall<'confirmUpload', CallInput<'confirmUpload'>['body']>
  /**
   * Batched calls for small files of large drops. Each waits briefly so that many share one
   * request.
   */
  gathered: Pick<UploadCalls, 'getUploadUrl' | 'confirmUpload'>
  /** Frees the upload's slot and removes its bytes. */
  abortUpload(cloudKey: CallInput<'abortUpload'>['body']['cloudKey']): Promise<Outcome<unknown>>
  currentUser(): Promise<Outcome<Pick<CallAnswer<'currentUser'>, 'id'>>>
}

export type SignParts = UploadCall<'signParts', CallInput<'signParts'>['body']>

/**
 * True if get-upload-url may be retried after this error. No bytes have been sent yet, so failing
 * loses nothing: after a server error (500), lack of space (507) or a full disk the user gets the
 * error immediately.
 */
export function canRetryStart(refusal: Refusal): boolean {
  const { status, code } = refusal
  return mayPass(refusal) && status !== 500 && status !== 507 && code !== 'DISK_FULL'
}

/** A call to retry until there is a final response. */
export interface RepeatedCall<Input, Answer> {
  /** Makes the call once. `limit` is aborted on a timeout. */
  call: (input: Input, limit: AbortSignal) => Promise<Outcome<Answer>>
  input: Input
  /** Timeout of one attempt, in milliseconds. Defaults to 30 s. */
  withinMs?: number
  /** True for an error after which to retry. Defaults to `mayPass`. */
  isPassing?: (refusal: Refusal) => boolean
  /**
   * True for a call that changes nothing on the server, so it can be aborted when the upload ends.
   */
  isReading?: boolean
}

export interface CallDeps extends RetryDeps {
  timers: Timers
}

/**
 * Retries a call until the response is final. Returns the last error when no further attempt is
 * made.
 * @param options its signal ends the waits, but not a pending call, which may have changed
 * something on the server.
 * @throws the reason of the signal when it is aborted, unless there is a final response.
 */
export async function callWithRetries<Input, Answer>(
  repeated: RepeatedCall<Input, Answer>,
  options: RetryOptions,
  deps: CallDeps,
): Promise<Outcome<Answer>> {
  const { isPassing = mayPass } = repeated
  const retries = new Retries(options, deps)
  for (;;) {
    const outcome = await callWithTimeout(repeated, options.signal, deps.timers)
    if (outcome.ok || !isPassing(outcome.refusal)) return outcome
    if (!(await retries.waitForNext(outcome.refusal))) return outcome
  }
}

/** Makes a call once. A timeout counts as an error without a status. */
async function callWithTimeout<Input, Answer>(
  { call, input, withinMs = callTimeoutMs, isReading = false }: RepeatedCall<Input, Answer>,
  signal: AbortSignal,
  timers: Timers,
): Promise<Outcome<Answer>> {
  const limit = new AbortController()
  const cancelTimeout = timers.after(withinMs, () =>
    limit.abort(new DOMException('No answer came in time.', 'TimeoutError')),
  )
  try {
    return await call(input, isReading ? AbortSignal.any([signal, limit.signal]) : limit.signal)
  } finally {
    cancelTimeout()
  }
}

/**
 * Returns the value of a call that a transfer requires.
 * @throws {TransferFailed} if the call failed.
 */
export function requireAnswer<Answer>(outcome: Outcome<Answer>): Answer {
  if (outcome.ok) return outcome.value
  const { status } = outcome.refusal
  if (status === null) throw new TransferFailed('network')
  if (status === 401) throw new TransferFailed('signed-out', status)
  throw new TransferFailed(status === 404 || status === 410 ? 'gone' : 'status', status)
}
