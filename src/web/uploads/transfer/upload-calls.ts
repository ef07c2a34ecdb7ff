import type { CallAnswer, CallInput, JsonEndpointName } from '../../api/call.ts'
import type { Timers } from '../timers.ts'
import type { Outcome, Refusal } from '../upload-errors.ts'
import { TransferFailed } from '../upload-ports.ts'
import { mayPass, Retries, type RetryDeps, type RetryOptions } from './retry-policy.ts'

/**
 * One call of the API. It does not reject. When its signal is aborted, the call ends as if no
 * answer had come.
 */
type UploadCall<Name extends JsonEndpointName, Input> = (
  input: Input,
  signal: AbortSignal,
) => Promise<Outcome<CallAnswer<Name>>>

/** The calls that an upload makes. */
export interface UploadCalls {
  getUploadUrl: UploadCall<'getUploadUrl', CallInput<'getUploadUrl'>['body']>
  listParts: UploadCall<'listParts', NonNullable<CallInput<'listParts'>['query']>>
  confirmUpload: UploadCall<'confirmUpload', CallInput<'confirmUpload'>['body']>
  /**
   * The calls of small files that were added together with many others. Each waits a moment, so
   * that one request carries many of them.
   */
  gathered: Pick<UploadCalls, 'getUploadUrl' | 'confirmUpload'>
  /** Frees the upload slot of an upload and removes its bytes. */
  abortUpload(cloudKey: CallInput<'abortUpload'>['body']['cloudKey']): Promise<Outcome<unknown>>
  currentUser(): Promise<Outcome<Pick<CallAnswer<'currentUser'>, 'id'>>>
}

/** The call that sending parts needs. */
export interface PartCalls {
  signParts: UploadCall<'signParts', CallInput<'signParts'>['body']>
}

/**
 * True when get-upload-url may be repeated after this refusal. No bytes are sent yet, so nothing is
 * lost if the upload fails. So after a server error (500), too little space (507) or a full disk
 * the person gets the error immediately.
 */
export function mayStartAgain(refusal: Refusal): boolean {
  const { status, code } = refusal
  return mayPass(refusal) && status !== 500 && status !== 507 && code !== 'DISK_FULL'
}

/** A call that is repeated until it is answered. */
export interface RepeatedCall<Input, Answer> {
  /** Makes the call once. `limit` is aborted when no answer came in time. */
  call: (input: Input, limit: AbortSignal) => Promise<Outcome<Answer>>
  input: Input
  /** How long one attempt may take, in milliseconds. */
  withinMs: number
  /** True for a refusal after which another attempt may succeed. */
  isPassing: (refusal: Refusal) => boolean
  /**
   * True for a call that changes nothing on the server. It may be stopped immediately when the
   * upload ends.
   */
  isReading?: boolean
}

/** What repeating a call needs from the server and the browser. */
export interface CallDeps extends RetryDeps {
  timers: Timers
}

/**
 * Repeats a call until the answer is final. Returns the last refusal when no further attempt is
 * made.
 * @param options its signal ends the waits, but not a running call, which may have changed
 * something on the server.
 * @throws the reason of the signal when it is aborted, unless a final answer comes.
 */
export async function untilAnswered<Input, Answer>(
  repeated: RepeatedCall<Input, Answer>,
  options: RetryOptions,
  deps: CallDeps,
): Promise<Outcome<Answer>> {
  const retries = new Retries(options, deps)
  for (;;) {
    const outcome = await callInTime(repeated, options.signal, deps.timers)
    if (outcome.ok || !repeated.isPassing(outcome.refusal)) return outcome
    if (!(await retries.waitForNext(outcome.refusal))) return outcome
  }
}

/** Makes a call once. A call without an answer in time counts as refused, without a status. */
async function callInTime<Input, Answer>(
  { call, input, withinMs, isReading = false }: RepeatedCall<Input, Answer>,
  signal: AbortSignal,
  timers: Timers,
): Promise<Outcome<Answer>> {
  const limit = new AbortController()
  const callOff = timers.after(withinMs, () =>
    limit.abort(new DOMException('No answer came in time.', 'TimeoutError')),
  )
  try {
    return await call(input, isReading ? AbortSignal.any([signal, limit.signal]) : limit.signal)
  } finally {
    callOff()
  }
}

/**
 * Returns the answer of a call without which a transfer cannot continue.
 * @throws {TransferFailed} when the call was refused.
 */
export function requireAnswer<Answer>(outcome: Outcome<Answer>): Answer {
  if (outcome.ok) return outcome.value
  const { status } = outcome.refusal
  if (status === null) throw new TransferFailed('network')
  if (status === 401) throw new TransferFailed('signed-out', status)
  throw new TransferFailed(status === 404 || status === 410 ? 'gone' : 'status', status)
}
