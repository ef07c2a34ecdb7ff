import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'

/** Node's and Postgres's codes for "the other side cannot be reached", as opposed to a fault of ours. */
const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  '53300', // too many connections
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // cannot connect now
])

const isConnectionLoss = (error: unknown): boolean => {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if (fault.message.startsWith('Connection terminated')) return true
    if (fault.message.startsWith('timeout exceeded when trying to connect')) return true
    if ('code' in fault && unavailableCodes.has(String(fault.code)) && isFromDatabase(fault)) {
      return true
    }
  }
  return false
}

/** A socket error names the call that failed; a Postgres error its severity. */
const isFromDatabase = (fault: Error): boolean =>
  ('syscall' in fault && fault.syscall === 'connect') || 'severity' in fault || 'address' in fault

const toAppError = (error: unknown, requestId: string): AppError => {
  if (error instanceof AppError) return error
  if (error instanceof HTTPException && error.status === 413) return new AppError('BODY_TOO_LARGE')
  if (isConnectionLoss(error)) return new AppError('UNAVAILABLE', { cause: error })
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
  if (fault.status >= 500)
    c.var.log.error({ err: fault.cause ?? fault, code: fault.code }, 'failed')
  return c.json(fault.body, fault.status, { 'cache-control': 'no-store', ...fault.headers })
}
