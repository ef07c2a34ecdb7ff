import { createMiddleware } from 'hono/factory'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'
import type { ServedHosts } from './served-hosts.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses requests that change something and come from a page of another site. A browser always
 * names the origin of such a request. A client that names none (curl, a script) has no cookies that
 * another site could misuse.
 */
export function sameOrigin(hosts: ServedHosts, appUrl: URL) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    if (!safeMethods.has(c.req.method) && !isOurs(c.req.raw.headers, hosts, appUrl)) {
      throw new AppError('FOREIGN_ORIGIN')
    }
    await next()
  })
}

/**
 * Returns true when the browser says that the request comes from one of our own pages: a page of
 * the public origin, or of the host that the request asks for. An earlier check has made sure that
 * this host is ours.
 */
function isOurs(headers: Headers, hosts: ServedHosts, appUrl: URL): boolean {
  const origin = headers.get('origin')
  if (origin === null) return !isOfAnotherSite(headers)
  return origin === appUrl.origin || origin === hosts.pageOrigin(headers.get('host') ?? undefined)
}

/**
 * Returns true when the browser says that another site causes the request, even a subdomain of
 * ours. `sameOrigin` does not check a GET. So a GET endpoint that changes something must call this
 * itself: a link on any page opens it with our cookie.
 */
export function isOfAnotherSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  return site !== null && site !== 'same-origin' && site !== 'none'
}
