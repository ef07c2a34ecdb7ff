import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import { isDatabaseUnavailable, isUserDeleted } from '../db/db-errors.ts'
import { AppError } from '../errors.ts'
import { isDiskFull } from '../space/disk-space.ts'
import type { HttpEnv, ShowPage } from './env.ts'

function toAppError(error: unknown, requestId: string): AppError {
  if (error instanceof AppError) return error
  if (error instanceof HTTPException && error.status === 413) return new AppError('BODY_TOO_LARGE')
  // The check below would also match a full disk of the database. This check comes first, because
  // its answer tells the operator what to do.
  if (isDiskFull(error)) return new AppError('DISK_FULL', { cause: error })
  if (isDatabaseUnavailable(error)) return new AppError('UNAVAILABLE', { cause: error })
  if (isUserDeleted(error)) return new AppError('UNAUTHORIZED', { cause: error })
  return new AppError('INTERNAL', {
    message: `Something went wrong on our side. Please mention request ${requestId}.`,
    cause: error,
  })
}

/**
 * These refusals are not logged, because clients could fill the log with them. LOGOS_BUSY means
 * that too many pictures wait to be converted, PASSWORDS_BUSY that too many passwords wait to be
 * hashed. SERVER_BUSY means that too many requests wait for the database, which
 * `request-ceiling.ts` logs once a minute, or that too many large bodies arrive. STORAGE_FULL means
 * that too little space is free, which `DiskSpace` logs once. STORAGE_CAP_REACHED is a limit of the
 * administrator, who sees in the Admin Center how full the storage is.
 */
const notLogged = new Set<ErrorCode>([
  'LOGOS_BUSY',
  'PASSWORDS_BUSY',
  'SERVER_BUSY',
  'STORAGE_FULL',
  'STORAGE_CAP_REACHED',
])

/**
 * Turns every error into an answer. An error of the table is answered with its status, code and
 * text. Any other error is logged completely, and its answer is one general sentence with the id of
 * the request.
 */
export function answerError(error: unknown, c: Context<HttpEnv>): Response {
  return answerFault(toLoggedFault(error, c), c)
}

/**
 * Returns the same answers as `answerError`, but for people: a browser that opens an address gets a
 * page if the server failed or is busy. Programs and scripts get JSON.
 */
export function errorAnswer(showPage: ShowPage) {
  return (error: unknown, c: Context<HttpEnv>): Response | Promise<Response> => {
    const fault = toLoggedFault(error, c)
    const { status, headers, message } = fault
    return status >= 500 && opensPage(c)
      ? showPage(c, 'unavailable', { status, fault: message, headers })
      : answerFault(fault, c)
  }
}

/**
 * Returns the error that answers a request, or one entry of a batch. If the server is at fault, it
 * is logged.
 */
export function toLoggedFault(error: unknown, c: Context<HttpEnv>): AppError {
  const fault = toAppError(error, c.get('requestId'))
  if (fault.status >= 500 && fault.isLogged && !notLogged.has(fault.code))
    c.get('requestLog')().error({ err: fault.cause ?? fault, code: fault.code }, 'failed')
  return fault
}

function answerFault(fault: AppError, c: Context<HttpEnv>): Response {
  const headers = { 'cache-control': 'no-store', ...fault.headersFor(c.req.method) }
  return c.json(fault.body, fault.status, headers)
}

/** Tells whether a browser opens an address. Scripts do not ask for HTML. */
function opensPage({ req }: Context<HttpEnv>): boolean {
  return req.method === 'GET' && req.header('accept')?.includes('text/html') === true
}
