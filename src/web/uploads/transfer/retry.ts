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

/** Whether the server itself is there, as `GET /api/ready` shows in time. Never rejects. */
export type IsServerReady = (signal: AbortSignal) => Promise<boolean>

/** What trying again needs of the world outside. */
export interface RetryDeps {
  connection: Connection
  /** Waits before another try; ends sooner when the browser comes back online. */
  wait: typeof wait
  /** From 0 to 1. */
  random: () => number
  isServerReady: IsServerReady
}

export interface RetryOptions {
  /** Ends the waits. A try that is under way ends by itself. */
  signal: AbortSignal
  limit?: RetryLimit
  /** What has happened to this request before. */
  tries?: Tries
  /** Told when a try was lost and the next one waits. */
  onInterrupted?: (why: Interruption) => void
}

/** How a try ended. */
export type TryEnd<T> = { ok: true; value: T } | FailedEnd
export interface FailedEnd extends FailedTry {
  ok: false
}

/**
 * Tries until a try succeeds or `retry-policy.ts` gives up. This is the only loop by which an upload
 * repeats a request. Other requests go on while one waits here.
 * @param attempt one try; it is told what has happened so far.
 * @returns the end of the last try; also of one that ends after the signal has fired, since it may
 *   have done something.
 * @throws the reason of the signal when that fires during a wait, and whatever `attempt` rejects with.
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
    // A browser that is offline waits for nothing else, and goes on as soon as it is back.
    if (connection.isOnline()) await wait(decision.waitMs, signal)
    await connection.untilOnline(signal)
  }
}
