import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { isDatabaseAway } from '../db/away.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'

/** A Postgres that was restarted is back by then, as a rule. */
const retryAfterSeconds = 5

const toAppError = (error: unknown, requestId: string): AppError => {
  if (error instanceof AppError) return error
  if (error instanceof HTTPException && error.status === 413) return new AppError('BODY_TOO_LARGE')
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
 * The one way an error leaves: a known one by the table, an unknown one logged whole under the
 * request's id and answered with one dull sentence that carries it.
 */
export const answerError = (error: unknown, c: Context<HttpEnv>): Response => {
  const fault = toAppError(error, c.var.requestId)
  // A full queue is not a fault, and whoever fills it must not fill the log.
  if (fault.status >= 500 && fault.code !== 'PASSWORDS_BUSY')
    c.var.log.error({ err: fault.cause ?? fault, code: fault.code }, 'failed')
  return c.json(fault.body, fault.status, { 'cache-control': 'no-store', ...fault.headers })
}
