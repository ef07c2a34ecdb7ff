import type { ServerResponse } from 'node:http'
import type { BlockList } from 'node:net'
import { createMiddleware } from 'hono/factory'
import { customAlphabet } from 'nanoid'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { requestMessage } from '../logging/log.ts'
import { clientAddress, createProxyWarning } from './client-address.ts'
import type { HttpEnv } from './env.ts'
import type { ServedHosts } from './hosts.ts'

const newRequestId = customAlphabet('0123456789abcdefghjkmnpqrstvwxyz', 16)

/**
 * Returns middleware that gives each request an id, a logger and the client's address, and logs the
 * request with its declared route. Client input is never logged, because a path can contain a short
 * code, and a query can contain a token. The `date` header uses the clock that expires links,
 * because our pages set their clock by it.
 */
export function requestContext(
  { log, clock }: { log: Logger; clock: Clock },
  options: { trustedProxies: BlockList | null; hosts: ServedHosts },
) {
  const warnOfProxy = createProxyWarning(log, options.trustedProxies)
  return createMiddleware<HttpEnv>(async (c, next) => {
    const requestId = newRequestId()
    const { incoming, outgoing } = c.env
    // Set on Node's response, so that responses that bypass Hono have these headers too.
    outgoing.setHeader('x-request-id', requestId)
    outgoing.setHeader('x-content-type-options', 'nosniff')
    outgoing.setHeader('date', clock().toUTCString())
    c.set('requestId', requestId)
    const requestLog = log.child({ requestId })
    c.set('log', requestLog)
    c.set('publicOrigin', options.hosts.publicOrigin(incoming.headers.host))
    warnOfProxy(incoming)
    c.set('clientAddress', clientAddress(incoming, options.trustedProxies))
    const startedAt = performance.now()
    await next()
    requestLog.info(
      {
        method: c.req.method,
        path: getRoute(outgoing),
        status: outgoing.headersSent ? outgoing.statusCode : c.res.status,
        ms: Math.round(performance.now() - startedAt),
      },
      requestMessage,
    )
  })
}

const names = new WeakMap<ServerResponse, string>()

/**
 * Sets a request's route name, for metrics and the log.
 * @param name a declared path such as `/s/{code}`, never the path of the request.
 */
export function nameRoute(response: ServerResponse, name: string): void {
  names.set(response, name)
}

/** Returns a request's route name. */
export function getRoute(response: ServerResponse): string {
  return names.get(response) ?? 'undeclared'
}
