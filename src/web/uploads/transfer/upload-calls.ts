import type { CallAnswer, CallInput, JsonEndpointName } from '../../api/call.ts'
import { type Interruption, interruptionOf } from '../interruption.ts'
import type { Timers } from '../timers.ts'
import { mayPass, type Outcome, type Refusal } from '../upload-errors.ts'
import { type Connection, pause, type wait } from './connection.ts'
import { countedTries, type IsServerReady, maxFruitlessTries } from './fruitless-tries.ts'
import { waitBeforeNext } from './next-step.ts'
import type { StorageAnswer } from './send.ts'

/** A call of the contract. It does not reject: one that its signal ends was not answered. */
type UploadCall<Name extends JsonEndpointName, Input> = (
  input: Input,
  signal: AbortSignal,
) => Promise<Outcome<CallAnswer<Name>>>

/** The calls of an upload. */
export interface UploadCalls {
  getUploadUrl: UploadCall<'getUploadUrl', CallInput<'getUploadUrl'>['body']>
  listParts: UploadCall<'listParts', NonNullable<CallInput<'listParts'>['query']>>
  confirmUpload: UploadCall<'confirmUpload', CallInput<'confirmUpload'>['body']>
  /** Frees the place of an upload and removes its bytes. */
  abortUpload(cloudKey: string): Promise<Outcome<unknown>>
  /** The id of who is signed in; null when nobody is. */
  currentUser(): Promise<Outcome<string | null>>
}

/** The calls that sending parts needs. */
export interface PartCalls extends Pick<UploadCalls, 'listParts'> {
  signParts: UploadCall<'signParts', CallInput<'signParts'>['body']>
}

/** What repeating a call needs. */
export interface Repeating {
  connection: Connection
  timers: Timers
  /** Waits before another try; ends sooner when the browser comes back online. */
  wait: typeof wait
  /** From 0 to 1. */
  random: () => number
  isServerReady: IsServerReady
  /** Told that no answer came and the next try waits. */
  onInterrupted: (why: Interruption) => void
}

/** A server that fails over a start has no bytes to lose by it: a person hears of it at once. */
export const mayStartAgain = (refusal: Refusal): boolean =>
  mayPass(refusal) && refusal.status !== 500

/** A refused call, as what is tried again in storage is told of. */
export const answerOf = ({ status, code, retryAfterMs = null }: Refusal): StorageAnswer =>
  status === null
    ? { kind: 'network' }
    : { kind: 'answer', status, code, uploadOffset: null, retryAfterMs }

/** A call to be repeated. */
export interface Question<T> {
  /** Makes the call once; its signal ends it when no answer came in time. */
  ask: (limit: AbortSignal) => Promise<Outcome<T>>
  /** How long one try may take, in milliseconds. */
  withinMs: number
  /** True for a refusal after which another try may succeed. */
  isPassing: (refusal: Refusal) => boolean
}

/** Makes the call once; it is refused without a status when no answer came in time. */
export const askOnce = async <T>(
  { ask, withinMs }: Pick<Question<T>, 'ask' | 'withinMs'>,
  timers: Timers,
): Promise<Outcome<T>> => {
  const limit = new AbortController()
  const callOff = timers.after(withinMs, () =>
    limit.abort(new DOMException('No answer came in time.', 'TimeoutError')),
  )
  try {
    return await ask(limit.signal)
  } finally {
    callOff()
  }
}

/**
 * Calls until an answer comes that is no passing one, with growing waits, at least as long as
 * `Retry-After` asks; while the browser is offline no try counts, and while the server is away it is
 * not given up. Answers the last refusal when it is.
 * @param signal ends the waits, not a call that may have done something: its answer is answered.
 * @throws the reason of the signal when that fires during a wait.
 */
export const untilAnswered = async <T>(
  question: Question<T>,
  signal: AbortSignal,
  { connection, timers, wait, random, isServerReady, onInterrupted }: Repeating,
): Promise<Outcome<T>> => {
  for (let tries = 1; ; tries += 1) {
    const outcome = await askOnce(question, timers)
    if (outcome.ok || !question.isPassing(outcome.refusal)) return outcome
    if (!connection.isOnline()) tries = 1
    if (signal.aborted) return outcome
    const answer = answerOf(outcome.refusal)
    onInterrupted(interruptionOf(answer))
    tries = await countedTries(tries, () => isServerReady(signal))
    if (tries >= maxFruitlessTries || signal.aborted) return outcome
    const waitMs = waitBeforeNext(answer, tries, random())
    await pause(waitMs, signal, { wait, connection })
  }
}
