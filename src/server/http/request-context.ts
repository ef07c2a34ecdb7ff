import type { ServerResponse } from 'node:http'
import type { BlockList } from 'node:net'
import { createMiddleware } from 'hono/factory'
import { customAlphabet } from 'nanoid'
import type { Logger } from 'pino'
import { endpoints } from '../../shared/contract/index.ts'
import { pages } from '../../shared/pages.ts'
import { publicPages } from '../../shared/public-pages.ts'
import type { Clock } from '../clock.ts'
import { requestLine } from '../logging/log.ts'
import { clientAddress, watchForProxy } from './client-address.ts'
import type { HttpEnv } from './env.ts'
import type { ServedHosts } from './hosts.ts'

const newRequestId = customAlphabet('0123456789abcdefghjkmnpqrstvwxyz', 16)

/**
 * Gives each request an id, a logger and the client's address. The header `x-request-id` names the
 * id, and another header forbids browsers to guess the type of the answer. The `date` header comes
 * from the clock that ends links, because our pages correct the browser's clock by it. Each request
 * gets one log line. It names the declared route. What a client wrote is never logged: a path can
 * hold a short code, and a query a signature or a token.
 */
export function requestContext(
  { log, clock }: { log: Logger; clock: Clock },
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

/** The name of every request whose path is not declared. */
const undeclared = 'undeclared'

const names = new WeakMap<ServerResponse, string>()

/**
 * Notes which route answers a request. Metrics and the log show this name in place of the
 * path.
 * @param name the declared path, such as `/s/{code}`. It never contains what a client sent.
 */
export function nameRoute(response: ServerResponse, name: string): void {
  names.set(response, name)
}

/** Returns the name of the route that answers this request. */
export function routeOf(response: ServerResponse): string {
  return names.get(response) ?? undeclared
}

const declared: ReadonlySet<string> = new Set([
  ...Object.values(endpoints).map(({ path }) => path),
  ...pages,
  ...Object.values(publicPages).map(({ path }) => path),
])
const firstSegments: ReadonlySet<string> = new Set(['assets', ...[...declared].map(firstSegment)])

/**
 * Returns what the log may hold of a path. Whoever knows a short code can open the file, and a
 * misspelt path can hold one anywhere. So the log holds only names that we have declared: the route
 * that answers; for another path its first segment, if a declared path begins with it.
 */
function loggedPath(response: ServerResponse, path: string): string {
  const name = names.get(response)
  if (name !== undefined) return name
  // The request was refused before its route was named. The path itself is declared, so it is safe
  // to log.
  if (declared.has(path)) return path
  const first = firstSegment(path)
  return first !== '' && firstSegments.has(first) ? `/${first}/…` : '/…'
}

function firstSegment(path: string): string {
  return path.split('/')[1] ?? ''
}
