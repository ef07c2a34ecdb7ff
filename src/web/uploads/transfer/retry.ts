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

/**
 * Returns true when `GET /api/ready` shows within its time limit that the server works. Never
 * rejects.
 */
export type IsServerReady = (signal: AbortSignal) => Promise<boolean>

/** What repeating a request needs from the server and the browser. */
export interface RetryDeps {
  connection: Connection
  /** Waits before another attempt. The wait ends early when the browser comes back online. */
  wait: typeof wait
  /** Returns a number from 0 to 1. */
  random: () => number
  isServerReady: IsServerReady
}

export interface RetryOptions {
  /** When aborted, it ends the waits. */
  signal: AbortSignal
  limit?: RetryLimit
  /** Called when an attempt failed and the next one waits. */
  onInterrupted?: (why: Interruption) => void
}

/**
 * Counts the failed attempts of one request of an upload and waits between them. Call `waitForNext`
 * after each failed attempt. The rules are in `retry-policy.ts`. Other requests continue while one
 * waits here.
 */
export class Retries {
  readonly #options: RetryOptions
  readonly #deps: RetryDeps
  #tries = noTries

  constructor(options: RetryOptions, deps: RetryDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** How often the request has failed so far, and how. */
  get tries(): Tries {
    return this.#tries
  }

  /**
   * Waits until the request may be repeated. Resolves to false when it must not be repeated, or
   * when the signal was aborted before the wait.
   * @throws the reason of the signal when it is aborted during the wait.
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
    // While the browser is offline, the request waits for the connection only.
    if (connection.isOnline()) await wait(decision.waitMs, signal)
    await connection.untilOnline(signal)
    return true
  }
}
