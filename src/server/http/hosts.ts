import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv4 } from 'node:net'
import { createMiddleware } from 'hono/factory'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { sendEarlyError } from './early-response.ts'
import type { HttpEnv } from './env.ts'

/**
 * What a Host header may hold (RFC 9110 §7.2): a name or an address, and a port. No password, no
 * path and no second name.
 */
const hostHeader = /^([a-z\d._-]+|\[[a-f\d:.]+\])(:\d*)?$/i

/** The hosts that the server answers for. DNS rebinding uses another name and is refused. */
export interface ServedHosts {
  /**
   * Returns the origin of a page that was opened with this `Host` header; null if the host isn't
   * served. Ports are ignored: proxies may omit them, and DNS rebinding changes only names.
   */
  pageOrigin(host: string | undefined): string | null
  /** Returns the origin of the URLs in the answer to a request with this `Host` header. */
  publicOrigin(host: string | undefined): string
}

/** True for a name or address of the machine itself, written as in `URL.hostname`. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/**
 * Returns the hosts that the server answers for: the host of `appUrl` and, if that is a loopback
 * name, every loopback name. Without APP_URL also IP addresses, because a server with HOST=0.0.0.0
 * is opened by the machine's address.
 */
export function servedHosts({
  appUrl,
  appUrlIsSet,
}: {
  appUrl: URL
  appUrlIsSet: boolean
}): ServedHosts {
  const isServed = (hostname: string): boolean => {
    if (hostname === appUrl.hostname) return true
    if (isLoopback(hostname) && isLoopback(appUrl.hostname)) return true
    return !appUrlIsSet && (isIPv4(hostname) || hostname.startsWith('['))
  }

  const pageOrigin = (host = ''): string | null => {
    if (host === appUrl.host) return appUrl.origin
    const asked = hostHeader.test(host) ? URL.parse(`${appUrl.protocol}//${host}`) : null
    if (!asked || !isServed(asked.hostname)) return null
    const isPublic = appUrlIsSet && asked.hostname === appUrl.hostname
    return isPublic ? appUrl.origin : asked.origin
  }

  return {
    pageOrigin,
    publicOrigin: (host) => (appUrlIsSet ? null : pageOrigin(host)) ?? appUrl.origin,
  }
}

/** Returns whether the request may continue. Otherwise it has been answered. */
export type Admit = (request: IncomingMessage, response: ServerResponse) => boolean

/** Load balancers request these paths by the machine's address. The answers are public. */
const forAnyHost = /^\/(api\/health|api\/ready|metrics)(\?|$)/

/**
 * Refuses requests for a host that isn't ours with 421 (RFC 9110 §15.5.20). Otherwise a stranger's
 * domain could point at this machine (DNS rebinding), and its pages could read our answers. A
 * request with several Host headers is refused with 400. X-Forwarded-Host is ignored, because any
 * client can send it.
 */
export function admitHost(
  hosts: ServedHosts,
  { appUrl, log }: { appUrl: URL; log: Pick<Logger, 'warn'> },
): Admit {
  let isLogged = false
  return (request, response) => {
    const { headersDistinct, url = '' } = request
    if (forAnyHost.test(url)) return true
    const { host: asked = [] } = headersDistinct
    if (asked.length > 1) {
      const message = 'The request has more than one Host header.'
      void sendEarlyError(request, response, new AppError('INVALID_INPUT', { message }))
      return false
    }
    const named = [...asked, ...targetHost(url)]
    if (named.length > 0 && named.every((host) => hosts.pageOrigin(host) !== null)) return true
    if (!isLogged) {
      isLogged = true
      log.warn(
        { host: asked[0]?.slice(0, 200), appUrl: appUrl.origin },
        'Refused a request for an unknown host: set APP_URL to the address that people open, and make the proxy forward the Host header',
      )
    }
    const message = `This server does not serve this host. Open ${appUrl.origin}, or set APP_URL to the address that people open.`
    void sendEarlyError(request, response, new AppError('HOST_NOT_SERVED', { message }))
    return false
  }
}

/** Returns the host in a request line such as `GET http://host/path` (RFC 9112 §3.2.2). */
function targetHost(url: string): string[] {
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  return host === undefined ? [] : [host]
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses requests that change something and come from another site's page. Browsers always name
 * the origin of such a request; curl and scripts have no cookies that another site could misuse.
 */
export function sameOrigin(hosts: ServedHosts, appUrl: URL) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    if (!safeMethods.has(c.req.method) && !isOurs(c.req.raw.headers, hosts, appUrl)) {
      throw new AppError('FOREIGN_ORIGIN')
    }
    await next()
  })
}

/** True for a page of the public origin or of the requested host, which `admitHost` has checked. */
function isOurs(headers: Headers, hosts: ServedHosts, appUrl: URL): boolean {
  const origin = headers.get('origin')
  if (origin === null) return !isCrossSite(headers)
  return origin === appUrl.origin || origin === hosts.pageOrigin(headers.get('host') ?? undefined)
}

/**
 * True if another site, even a subdomain of ours, causes the request. `sameOrigin` doesn't check
 * GET, so a GET endpoint that changes something calls this itself.
 */
export function isCrossSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  return site !== null && site !== 'same-origin' && site !== 'none'
}

/**
 * Redirects a browser that opens localhost where `appUrl` names 127.0.0.1, or the other way round,
 * because cookies and presigned URLs work under that name only.
 */
export function loopbackRedirect(appUrl: URL) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const { host, accept } = c.env.incoming.headers
    // Nearly every request has the right name; parsing its URL would cost more.
    if (host === appUrl.host || !accept?.includes('text/html')) return next()
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return next()
    const asked = new URL(c.req.url)
    const sameServer =
      isLoopback(appUrl.hostname) && isLoopback(asked.hostname) && asked.port === appUrl.port
    if (!sameServer || asked.hostname === appUrl.hostname) return next()
    return c.redirect(`${appUrl.origin}${asked.pathname}${asked.search}`, 302)
  })
}
