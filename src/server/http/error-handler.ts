import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import { isDatabaseUnavailable, isUserDeleted } from '../db/db-errors.ts'
import { AppError } from '../errors.ts'
import { isDiskFull } from '../space/disk-space.ts'
import type { HttpEnv, PageResponder } from './env.ts'

function toAppError(error: unknown, requestId: string): AppError {
  if (error instanceof AppError) return error
  if (error instanceof HTTPException && error.status === 413) return new AppError('BODY_TOO_LARGE')
  // Checked first, because `isDatabaseUnavailable` also matches a full database disk.
  if (isDiskFull(error)) return new AppError('DISK_FULL', { cause: error })
  if (isDatabaseUnavailable(error)) return new AppError('UNAVAILABLE', { cause: error })
  if (isUserDeleted(error)) return new AppError('UNAUTHORIZED', { cause: error })
  return new AppError('INTERNAL', {
    message: `Something went wrong on our side. Please mention request ${requestId}.`,
    cause: error,
  })
}

/**
 * Not logged here, because clients could flood the log with these errors. `makeLoadShedder`,
 * `DiskSpace` and `Transfers` log SERVER_BUSY, STORAGE_FULL and TOO_MANY_TRANSFERS occasionally,
 * and the Admin Center shows the storage usage.
 */
const unloggedCodes = new Set<ErrorCode>([
  'LOGOS_BUSY',
  'PASSWORDS_BUSY',
  'SERVER_BUSY',
  'STORAGE_FULL',
  'STORAGE_CAP_REACHED',
  'TOO_MANY_TRANSFERS',
])

/**
 * Converts any error to a response. An error other than an `AppError` is logged and answered with a
 * generic message and the request id.
 */
export function errorResponse(error: unknown, c: Context<HttpEnv>): Response {
  return sendError(toLoggedError(error, c), c)
}

/**
 * Like `errorResponse`, but sends browsers an HTML page if a page load fails with a server error.
 */
export function makeErrorHandler(showPage: PageResponder) {
  return (error: unknown, c: Context<HttpEnv>): Response | Promise<Response> => {
    const appError = toLoggedError(error, c)
    const { status, headers, message } = appError
    return status >= 500 && isPageNavigation(c)
      ? showPage(c, 'unavailable', { status, reason: message, headers })
      : sendError(appError, c)
  }
}

/** Returns the error to send for a request or a batch entry. Logs server errors. */
export function toLoggedError(error: unknown, c: Context<HttpEnv>): AppError {
  const appError = toAppError(error, c.get('requestId'))
  const { cause, code, status, isLogged } = appError
  if (status >= 500 && isLogged && !unloggedCodes.has(code)) {
    c.get('log').error({ err: cause ?? appError, code }, 'failed')
  }
  return appError
}

function sendError(error: AppError, c: Context<HttpEnv>): Response {
  const headers = { 'cache-control': 'no-store', ...error.headersFor(c.req.method) }
  if (c.get('sendsTextErrors')) return c.text(`${error.message}\n`, error.status, headers)
  return c.json(error.body, error.status, headers)
}

/** True for page loads, which accept HTML; requests from scripts don't. */
function isPageNavigation({ req }: Context<HttpEnv>): boolean {
  return req.method === 'GET' && req.header('accept')?.includes('text/html') === true
}
