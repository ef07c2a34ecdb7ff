import { type FailedAttempt, type Interruption, isBusy, toInterruption } from '../interruption.ts'
import type { Outcome } from '../upload-errors.ts'
import type { wait } from './connection.ts'

/** Spec §9: retry after 3 s on timeout. Each further wait is twice as long. */
export const firstWaitMs = 3000
export const maxWaitMs = 30_000
/** The longest `Retry-After` that is honored. */
export const maxRetryAfterMs = 60_000
const firstStallMs = 30_000
const maxStallMs = 10 * 60_000

/** How many attempts may fail while the server works. Outages and overload don't count. */
export const maxAttempts = 8

/**
 * Resolves to true if `GET /api/ready` responds before its timeout and shows that the server is up.
 * Never rejects.
 */
export type IsServerReady = (signal: AbortSignal) => Promise<boolean>

export interface RetryDeps {
  /** Waits before another attempt. Ends early when the browser comes back online. */
  wait: typeof wait
  /** Returns a number from 0 to 1. */
  random: () => number
  isServerReady: IsServerReady
}

export interface RetryOptions {
  /** Ends any wait when aborted. */
  signal: AbortSignal
  /** Called when an attempt has failed and another one will follow. */
  onInterrupted?: (interruption: Interruption) => unknown
  /** Returns a number that grows whenever storage receives more of the file. */
  progress?: () => number
}

/** One request's failed attempts. */
export interface Retries {
  /**
   * Returns how many milliseconds the next attempt may spend without sending a byte. On a very slow
   * connection, the operating system may buffer more than it sends in 30 s, so the time doubles
   * with each failure.
   */
  stallMs(): number
  /**
   * Call after a transient failure. Waits until the next attempt may start. Resolves to false after
   * too many failures without progress.
   * @throws the signal's reason when aborted.
   */
  waitForNext(failure: FailedAttempt): Promise<boolean>
}

/** Counts one request's failed attempts and waits between them. */
export function createRetries(
  { signal, onInterrupted, progress = () => 0 }: RetryOptions,
  { isServerReady, wait, random }: RetryDeps,
): Retries {
  let failures = 0
  /** The number of failures that count toward the limit. */
  let countedFailures = 0
  let lastProgress = 0
  return {
    stallMs: () => Math.min(firstStallMs * 2 ** failures, maxStallMs),
    async waitForNext(failure) {
      signal.throwIfAborted()
      failures += 1
      // The first time, an expired URL or a wrong offset is corrected without waiting.
      if (failures === 1 && (failure.status === 403 || failure.status === 416)) return true
      onInterrupted?.(toInterruption(failure))
      if (progress() > lastProgress) countedFailures = 0
      lastProgress = progress()
      // While the server is down or busy, any other request would fail too.
      if (!isBusy(failure) && (await isServerReady(signal))) countedFailures += 1
      signal.throwIfAborted()
      if (countedFailures >= maxAttempts) return false
      await wait(waitMs(failure, failures, random()), signal)
      return true
    },
  }
}

/**
 * Returns how long to wait before the next attempt. The jitter keeps clients that failed at the
 * same time from retrying at the same time.
 */
function waitMs({ retryAfterMs }: FailedAttempt, failures: number, random: number): number {
  const backoffMs = Math.min(firstWaitMs * 2 ** (failures - 1), maxWaitMs)
  const requestedMs = Math.min(retryAfterMs ?? 0, maxRetryAfterMs)
  return Math.round(Math.max(backoffMs, requestedMs) * (1 + 0.3 * random))
}

/**
 * True for transient errors: no response, or a status that may change on the next attempt. That
 * includes every 5xx except 501, which means that the server doesn't support the method.
 */
export function isTransient({ status }: FailedAttempt): boolean {
  if (status === null || status === undefined) return true
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501)
}

/**
 * True if the result of `GET /api/ready` shows that the server is up. If the server is down, there
 * is no response or a 5xx. Any other response proves that it is up, even if a proxy hides this
 * endpoint.
 */
export function isServerUp(outcome: Outcome<unknown>): boolean {
  return outcome.ok || (outcome.error.status !== null && outcome.error.status < 500)
}
