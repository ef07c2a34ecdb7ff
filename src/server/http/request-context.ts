import { createMiddleware } from 'hono/factory'
import { customAlphabet } from 'nanoid'
import type { Logger } from 'pino'
import type { HttpEnv } from './env.ts'

const newRequestId = customAlphabet('0123456789abcdefghjkmnpqrstvwxyz', 16)

/** A short code is the whole right to a file: it is not for the log. */
const withoutCode = (path: string): string =>
  path.replace(/^\/(s|download|api\/download|api\/links)\/.+/, '/$1/…')

/**
 * Gives each request its id (answered as `x-request-id`), its logger and the client's address, and
 * writes one log line when it is answered. The query is never logged: it can hold a signature.
 * @param trustProxy take the address from the last entry of X-Forwarded-For, the one our own proxy added.
 */
export const requestContext = (log: Logger, options: { trustProxy: boolean }) =>
  createMiddleware<HttpEnv>(async (c, next) => {
    const requestId = newRequestId()
    const requestLog = log.child({ requestId })
    const forwarded = options.trustProxy ? c.req.header('x-forwarded-for') : undefined
    const { incoming, outgoing } = c.env
    // On Node's own response, so that answers which bypass the framework carry it too.
    outgoing.setHeader('x-request-id', requestId)
    c.set('requestId', requestId)
    c.set('log', requestLog)
    c.set(
      'clientAddress',
      forwarded?.split(',').at(-1)?.trim() || incoming.socket.remoteAddress || 'unknown',
    )
    const started = performance.now()
    await next()
    requestLog.info(
      {
        method: c.req.method,
        path: withoutCode(c.req.path),
        status: outgoing.headersSent ? outgoing.statusCode : c.res.status,
        ms: Math.round(performance.now() - started),
      },
      'request',
    )
  })
