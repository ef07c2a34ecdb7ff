import type { BlockList } from 'node:net'
import { createMiddleware } from 'hono/factory'
import { customAlphabet } from 'nanoid'
import type { Deps } from '../deps.ts'
import { requestLine } from '../logging/log.ts'
import { clientAddress, watchForProxy } from './client-address.ts'
import type { HttpEnv } from './env.ts'
import type { ServedHosts } from './hosts.ts'
import { loggedPath } from './route-name.ts'

const newRequestId = customAlphabet('0123456789abcdefghjkmnpqrstvwxyz', 16)

/**
 * Gives each request an id, a logger and the client's address. The header `x-request-id` names the
 * id, and another header forbids browsers to guess the type of the answer. The `date` header comes
 * from the clock that ends links, because our pages correct the browser's clock by it. Each request
 * gets one log line. It names the declared route. What a client wrote is never logged: a path can
 * hold a short code, and a query a signature or a token.
 */
export function requestContext(
  { log, clock }: Pick<Deps, 'log' | 'clock'>,
  options: { trustedProxies: BlockList | null; hosts: ServedHosts },
) {
  const lookForProxy = watchForProxy(log, options.trustedProxies)
  return createMiddleware<HttpEnv>(async (c, next) => {
    const requestId = newRequestId()
    const { incoming, outgoing } = c.env
    // The headers are set on Node's own response. So answers that bypass Hono have them too.
    outgoing.setHeader('x-request-id', requestId)
    outgoing.setHeader('x-content-type-options', 'nosniff')
    outgoing.setHeader('date', clock().toUTCString())
    c.set('requestId', requestId)
    c.set('requestLog', () => log.child({ requestId }))
    c.set('publicOrigin', options.hosts.publicOrigin(incoming.headers.host))
    lookForProxy(incoming)
    c.set('clientAddress', clientAddress(incoming, options.trustedProxies))
    const started = performance.now()
    await next()
    log.info(
      {
        requestId,
        method: c.req.method,
        path: loggedPath(outgoing, c.req.path),
        status: outgoing.headersSent ? outgoing.statusCode : c.res.status,
        ms: Math.round(performance.now() - started),
      },
      requestLine,
    )
  })
}
