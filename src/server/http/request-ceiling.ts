import type { Logger } from 'pino'
import type { Clock } from '../deps.ts'
import { AppError } from '../errors.ts'

/** Refused requests are logged at most once in this many milliseconds. */
const tellEveryMs = 60_000

interface CeilingOptions {
  clock: Clock
  log: Logger
  /** Tells whether too many queries wait for a connection to the database. */
  isDatabaseOverrun(): boolean
}

/**
 * Returns the check that a call, or a question about an upload, makes before its first query. While
 * too many requests wait for a connection to the database, the check refuses every further one at
 * once. What began earlier continues, and so does what does not make this check: jobs, transfers,
 * and the few calls that operators need (see `mount`).
 */
export function requestCeiling({ clock, isDatabaseOverrun, log }: CeilingOptions): () => void {
  let toldAt = Number.NEGATIVE_INFINITY
  let refused = 0
  /** @throws {AppError} SERVER_BUSY with `Retry-After`. */
  return () => {
    if (!isDatabaseOverrun()) return
    refused += 1
    const now = clock().getTime()
    if (now < toldAt || now - toldAt >= tellEveryMs) {
      log.warn({ refused }, 'requests were refused, since too many wait for the database')
      toldAt = now
      refused = 0
    }
    throw new AppError('SERVER_BUSY')
  }
}
