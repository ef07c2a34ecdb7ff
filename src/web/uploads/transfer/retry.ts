import { type Interruption, interruptionOf } from '../interruption.ts'
import type { Connection, wait } from './connection.ts'
import {
  afterFailure,
  type FailedTry,
  noTries,
  type RetryLimit,
  type Tries,
  uploadLimit,
} from './retry-policy.ts'

/** Whether the server is ready, as `GET /api/ready` shows within its time limit. Never rejects. */
export type IsServerReady = (signal: AbortSignal) => Promise<boolean>

/** What retrying needs from the browser. */
export interface RetryDeps {
  connection: Connection
  /** Waits before another try. The wait ends early when the browser comes back online. */
  wait: typeof wait
  /** Returns a number from 0 to 1. */
  random: () => number
  isServerReady: IsServerReady
}

export interface RetryOptions {
  /** Ends the waits. A running try ends by itself. */
  signal: AbortSignal
  limit?: RetryLimit
  /** The history of this request before. */
  tries?: Tries
  /** Called when a try was lost and the next one waits. */
  onInterrupted?: (why: Interruption) => void
}

/** How a try ended. */
export type TryEnd<T> = { ok: true; value: T } | FailedEnd
export interface FailedEnd extends FailedTry {
  ok: false
}

/**
 * Repeats a try until it succeeds or `retry-policy.ts` gives up. This is the only loop with which
 * an upload repeats a request. Other requests go on while one waits here.
 * @param attempt makes one try; it gets the history so far.
 * @returns the end of the last try, even if the signal fired during it, since the try may have had
 * an effect.
 * @throws the reason of the signal when it fires during a wait, and the errors of `attempt`.
 */
export async function retry<T>(
  attempt: (tries: Tries) => Promise<TryEnd<T>>,
  { signal, limit = uploadLimit, tries: before = noTries, onInterrupted }: RetryOptions,
  { connection, wait, random, isServerReady }: RetryDeps,
): Promise<TryEnd<T>> {
  let tries = before
  for (;;) {
    const end = await attempt(tries)
    if (end.ok || signal.aborted) return end
    const decide = (isReady: boolean | null) =>
      afterFailure(tries, end, {
        isOnline: connection.isOnline(),
        isServerReady: isReady,
        random: random(),
        limit,
      })
    let decision = decide(null)
    const isLost =
      decision.kind === 'ask-server' || (decision.kind === 'retry' && decision.waitMs > 0)
    if (isLost) onInterrupted?.(interruptionOf(end.answer))
    if (decision.kind === 'ask-server') decision = decide(await isServerReady(signal))
    if (decision.kind !== 'retry' || signal.aborted) return end
    tries = decision.tries
    if (decision.waitMs === 0) continue
    // While the browser is offline, there is no further wait than the one for the connection.
    if (connection.isOnline()) await wait(decision.waitMs, signal)
    await connection.untilOnline(signal)
  }
}
