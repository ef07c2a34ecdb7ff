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
import { clientAddress, untrustedProxyWarning } from './client-address.ts'
import type { HttpEnv } from './env.ts'
import type { ServedHosts } from './hosts.ts'

const newRequestId = customAlphabet('0123456789abcdefghjkmnpqrstvwxyz', 16)

/**
 * Gives each request an id, a logger and the client's address, and logs it with its declared route.
 * What a client wrote is never logged: a path can contain a short code, a query a token. The `date`
 * header comes from the clock that expires links, because our pages correct their clock by it.
 */
export function requestContext(
  { log, clock }: { log: Logger; clock: Clock },
  options: { trustedProxies: BlockList | null; hosts: ServedHosts },
) {
  const warnOfProxy = untrustedProxyWarning(log, options.trustedProxies)
  return createMiddleware<HttpEnv>(async (c, next) => {
    const requestId = newRequestId()
    const { incoming, outgoing } = c.env
    // Set on Node's response, so that answers which bypass Hono have them too.
    outgoing.setHeader('x-request-id', requestId)
    outgoing.setHeader('x-content-type-options', 'nosniff')
    outgoing.setHeader('date', clock().toUTCString())
    c.set('requestId', requestId)
    c.set('requestLog', () => log.child({ requestId }))
    c.set('publicOrigin', options.hosts.publicOrigin(incoming.headers.host))
    warnOfProxy(incoming)
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

const undeclared = 'undeclared'

const names = new WeakMap<ServerResponse, string>()

/**
 * Sets the name of the route that answers a request, for metrics and the log.
 * @param name a declared path such as `/s/{code}`, never one that a client sent.
 */
export function nameRoute(response: ServerResponse, name: string): void {
  names.set(response, name)
}

/** Returns the name of the route that answers a request. */
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
 * Redacts a path for the log: a short code opens a file, and a misspelt path can contain one
 * anywhere. Returns the route, or else the first segment if a declared path begins with it.
 */
function loggedPath(response: ServerResponse, path: string): string {
  const name = names.get(response)
  if (name !== undefined) return name
  // Refused before its route was named.
  if (declared.has(path)) return path
  const first = firstSegment(path)
  return first !== '' && firstSegments.has(first) ? `/${first}/…` : '/…'
}

function firstSegment(path: string): string {
  return path.split('/')[1] ?? ''
}
