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
  /** Ends the waits. */
  signal: AbortSignal
  limit?: RetryLimit
  /** Called when a try was lost and the next one waits. */
  onInterrupted?: (why: Interruption) => void
}

/**
 * The tries of one request of an upload. Whoever makes the request asks here after each try that
 * failed. `retry-policy.ts` decides, and this class acts on the decision. Other requests go on
 * while one waits here.
 */
export class Retries {
  readonly #options: RetryOptions
  readonly #deps: RetryDeps
  #tries = noTries

  constructor(options: RetryOptions, deps: RetryDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** The history so far. */
  get tries(): Tries {
    return this.#tries
  }

  /**
   * Waits until the next try may begin. Resolves to false when the request is given up, or when the
   * signal fired before the wait.
   * @throws the reason of the signal when it fires during the wait.
   */
  async waitForNext(failed: FailedTry): Promise<boolean> {
    const { signal, limit = uploadLimit, onInterrupted } = this.#options
    const { connection, wait, random, isServerReady } = this.#deps
    if (signal.aborted) return false
    const decide = (isReady: boolean | null) =>
      afterFailure(this.#tries, failed, {
        isOnline: connection.isOnline(),
        isServerReady: isReady,
        random: random(),
        limit,
      })
    let decision = decide(null)
    const isLost =
      decision.kind === 'ask-server' || (decision.kind === 'retry' && decision.waitMs > 0)
    if (isLost) onInterrupted?.(interruptionOf(failed.answer))
    if (decision.kind === 'ask-server') decision = decide(await isServerReady(signal))
    if (decision.kind !== 'retry' || signal.aborted) return false
    this.#tries = decision.tries
    if (decision.waitMs === 0) return true
    // While the browser is offline, there is no further wait than the one for the connection.
    if (connection.isOnline()) await wait(decision.waitMs, signal)
    await connection.untilOnline(signal)
    return true
  }
}
