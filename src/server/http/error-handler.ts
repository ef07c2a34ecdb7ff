import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import { isDatabaseAway } from '../db/away.ts'
import { AppError } from '../errors.ts'
import { isDiskFull } from '../space/disk-full.ts'
import type { HttpEnv } from './env.ts'

/** A Postgres that was restarted is back by then, as a rule. */
const retryAfterSeconds = 5

function toAppError(error: unknown, requestId: string): AppError {
  if (error instanceof AppError) return error
  if (error instanceof HTTPException && error.status === 413) return new AppError('BODY_TOO_LARGE')
  // Before what is away: of this somebody can do something.
  if (isDiskFull(error)) return new AppError('DISK_FULL', { cause: error })
  if (isDatabaseAway(error)) {
    const headers = { 'retry-after': String(retryAfterSeconds) }
    return new AppError('UNAVAILABLE', { cause: error, headers })
  }
  return new AppError('INTERNAL', {
    message: `Something went wrong on our side. Please mention request ${requestId}.`,
    cause: error,
  })
}

/**
 * Refusals that are no faults, and that whoever provokes them must not fill the log with: a full queue,
 * and too little space, which is told once by who watches it.
 */
const notLogged = new Set<ErrorCode>(['PASSWORDS_BUSY', 'STORAGE_FULL'])

/**
 * The one way an error leaves: a known one by the table, an unknown one logged whole under the
 * request's id and answered with one dull sentence that carries it.
 */
export function answerError(error: unknown, c: Context<HttpEnv>): Response {
  const fault = toAppError(error, c.var.requestId)
  if (fault.status >= 500 && !notLogged.has(fault.code))
    c.var.log.error({ err: fault.cause ?? fault, code: fault.code }, 'failed')
  return c.json(fault.body, fault.status, { 'cache-control': 'no-store', ...fault.headers })
}
