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
  // Before the next check, which also matches a full disk of the database: this answer says more.
  if (isDiskFull(error)) return new AppError('DISK_FULL', { cause: error })
  if (isDatabaseUnavailable(error)) return new AppError('UNAVAILABLE', { cause: error })
  if (isUserDeleted(error)) return new AppError('UNAUTHORIZED', { cause: error })
  return new AppError('INTERNAL', {
    message: `Something went wrong on our side. Please mention request ${requestId}.`,
    cause: error,
  })
}

/**
 * Clients could fill the log with these errors. `makeLoadShedder` and `DiskSpace` log SERVER_BUSY
 * and STORAGE_FULL now and then, and the Admin Center shows the use of the storage.
 */
const notLogged = new Set<ErrorCode>([
  'LOGOS_BUSY',
  'PASSWORDS_BUSY',
  'SERVER_BUSY',
  'STORAGE_FULL',
  'STORAGE_CAP_REACHED',
])

/**
 * Turns any error into an answer. An error that isn't an `AppError` is logged, and its answer is a
 * general sentence with the id of the request.
 */
export function errorResponse(error: unknown, c: Context<HttpEnv>): Response {
  return sendError(toLoggedError(error, c), c)
}

/** As `errorResponse`, but a browser that opens an address gets a page if the server failed. */
export function makeErrorHandler(showPage: ShowPage) {
  return (error: unknown, c: Context<HttpEnv>): Response | Promise<Response> => {
    const appError = toLoggedError(error, c)
    const { status, headers, message } = appError
    return status >= 500 && opensPage(c)
      ? showPage(c, 'unavailable', { status, reason: message, headers })
      : sendError(appError, c)
  }
}

/** Returns the error for a request, or for an entry of a batch. Logs failures of the server. */
export function toLoggedError(error: unknown, c: Context<HttpEnv>): AppError {
  const appError = toAppError(error, c.get('requestId'))
  const { cause, code, status, isLogged } = appError
  if (status >= 500 && isLogged && !notLogged.has(code)) {
    c.get('log').error({ err: cause ?? appError, code }, 'failed')
  }
  return appError
}

function sendError(error: AppError, c: Context<HttpEnv>): Response {
  const headers = { 'cache-control': 'no-store', ...error.headersFor(c.req.method) }
  return c.json(error.body, error.status, headers)
}

/** Whether a browser opens an address. Scripts don't accept HTML. */
function opensPage({ req }: Context<HttpEnv>): boolean {
  return req.method === 'GET' && req.header('accept')?.includes('text/html') === true
}
