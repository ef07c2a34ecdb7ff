import { type FailedAttempt, type Interruption, interruptionOf, isBusy } from '../interruption.ts'
import type { Outcome } from '../upload-errors.ts'
import type { Connection, wait } from './connection.ts'

/** Spec §9: retry after 3 s on timeout. Each further wait is twice as long. */
export const firstWaitMs = 3000
export const longestWaitMs = 30_000
/** The longest wait that a server may ask for with `Retry-After`. */
export const longestAskedMs = 60_000
const firstStallMs = 30_000
const longestStallMs = 10 * 60_000

/** When a request that keeps failing is given up. */
export interface RetryLimit {
  maxTries: number
  /** True for a request that is repeated for as long as the server is away or busy. */
  isPatient: boolean
}

/**
 * The limit of uploads. An upload waits through every restart, full disk and busy time of the
 * server, however long they last.
 */
export const uploadLimit: RetryLimit = { maxTries: 8, isPatient: true }

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
  onInterrupted?: (why: Interruption) => unknown
  /** Returns a number that grows whenever storage receives more of the file. */
  progress?: () => number
}

/** Counts the failed attempts of one request, and waits between them. */
export class Retries {
  readonly #options: RetryOptions
  readonly #deps: RetryDeps
  #failures = 0
  /** The failures that count towards the limit. */
  #counted = 0
  #reached = 0

  constructor(options: RetryOptions, deps: RetryDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * How long the browser may send no byte of the next attempt's body, in milliseconds. On a very
   * slow connection the operating system may buffer more bytes than it sends in 30 s, so the limit
   * doubles with each failure.
   */
  get stallMs(): number {
    return Math.min(firstStallMs * 2 ** this.#failures, longestStallMs)
  }

  /**
   * Call it after a failed attempt whose fault may pass. Waits until the next attempt may be made.
   * Resolves to false after too many failures since storage last received more of the file.
   * @throws the reason of the signal when it is aborted.
   */
  async waitForNext(failed: FailedAttempt): Promise<boolean> {
    const { signal, limit = uploadLimit, onInterrupted, progress = () => 0 } = this.#options
    const { connection, wait, random } = this.#deps
    signal.throwIfAborted()
    this.#failures += 1
    // The first time, an expired URL or a wrong offset is corrected without waiting.
    if (this.#failures === 1 && (failed.status === 403 || failed.status === 416)) return true
    onInterrupted?.(interruptionOf(failed))
    const hasProgress = progress() > this.#reached
    this.#reached = progress()
    if (hasProgress) this.#counted = 0
    if (await this.#isCounted(failed, limit)) this.#counted += 1
    signal.throwIfAborted()
    if (this.#counted >= limit.maxTries) return false
    if (connection.isOnline()) await wait(waitMs(failed, this.#failures, random()), signal)
    else this.#failures = 0
    await connection.untilOnline(signal)
    return true
  }

  /** False for a failure that says nothing about this request: nothing would succeed now. */
  async #isCounted(failed: FailedAttempt, { isPatient }: RetryLimit): Promise<boolean> {
    const { connection, isServerReady } = this.#deps
    if (!connection.isOnline()) return false
    return !isPatient || (!isBusy(failed) && (await isServerReady(this.#options.signal)))
  }
}

/** The random addition keeps clients that failed together from all trying again together. */
function waitMs({ retryAfterMs }: FailedAttempt, failures: number, random: number): number {
  const grown = Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs)
  const asked = Math.min(retryAfterMs ?? 0, longestAskedMs)
  return Math.round(Math.max(grown, asked) * (1 + 0.3 * random))
}

/**
 * True when another attempt may succeed: no answer came, or a status that may pass. Every 5xx may
 * pass, except 501: the server does not know the method.
 */
export function mayPass({ status }: FailedAttempt): boolean {
  if (status === null || status === undefined) return true
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501)
}

/**
 * True when the answer to `GET /api/ready` shows that the server works. A server that is away gives
 * no answer, or 5xx. Any other answer shows a server, for instance one behind a proxy that hides
 * this call from browsers.
 */
export function showsServer(answer: Outcome<unknown>): boolean {
  return answer.ok || (answer.refusal.status !== null && answer.refusal.status < 500)
}
