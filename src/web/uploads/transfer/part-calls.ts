import type { Outcome, Refusal } from '../upload-errors.ts'
import { TransferFailed } from '../upload-ports.ts'
import { questionTimeoutMs } from './next-step.ts'
import type { StorageAnswer } from './send.ts'
import { answerOf } from './upload-calls.ts'

/** A call that a part needs did not come through. */
class CallFailed extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`${refusal.status}`)
    this.refusal = refusal
  }
}

/**
 * Makes a call that a part needs. Rejects when it is refused or takes too long, as `answerOfCall`
 * understands it.
 * @throws the reason of the signal when that fires.
 */
export const callInTime = async <T>(
  call: (limit: AbortSignal) => Promise<Outcome<T>>,
  signal: AbortSignal,
): Promise<T> => {
  const outcome = await call(AbortSignal.any([signal, AbortSignal.timeout(questionTimeoutMs)]))
  signal.throwIfAborted()
  if (!outcome.ok) throw new CallFailed(outcome.refusal)
  return outcome.value
}

/**
 * What a call came to that failed, to be counted as a failed try of its part.
 * @throws {TransferFailed} for what ends the transfer: the server's own 401 and 403 are about the
 * user, and there is no fresh signature for that.
 * @throws whatever else was caught.
 */
export const answerOfCall = (error: unknown): StorageAnswer => {
  if (!(error instanceof CallFailed)) throw error
  const { status } = error.refusal
  if (status === 401) throw new TransferFailed('signed-out', status)
  if (status === 403) throw new TransferFailed('status', status)
  return answerOf(error.refusal)
}
