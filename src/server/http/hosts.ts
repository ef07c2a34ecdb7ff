import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv4 } from 'node:net'
import { createMiddleware } from 'hono/factory'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { sendEarlyError } from './early-response.ts'
import type { HttpEnv } from './env.ts'
import { readBearerKey } from './session.ts'

/**
 * A valid Host header (RFC 9110 §7.2): a name or an address with an optional port. Rejects
 * userinfo, paths and multiple hosts.
 */
const hostHeader = /^([a-z\d._-]+|\[[a-f\d:.]+\])(:\d*)?$/i

/** The hosts that this server accepts. Other hosts are refused to prevent DNS rebinding. */
export interface ServedHosts {
  /**
   * Returns the origin of a page opened with this `Host` header; null if the host isn't served. Any
   * port is accepted, because proxies may omit it and DNS rebinding changes only the name.
   */
  pageOrigin(host: string | undefined): string | null
  /** Returns the origin for URLs in the response to a request with this `Host` header. */
  publicOrigin(host: string | undefined): string
}

/** True for a loopback name or address, written as in `URL.hostname`. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/**
 * Returns the served hosts: the host of `appUrl` and, if that is a loopback name, every loopback
 * name. Without APP_URL, IP addresses are served too, because users open a server with HOST=0.0.0.0
 * by the machine's address.
 */
export function createServedHosts({
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
    const hostUrl = hostHeader.test(host) ? URL.parse(`${appUrl.protocol}//${host}`) : null
    if (!hostUrl || !isServed(hostUrl.hostname)) return null
    const isPublic = appUrlIsSet && hostUrl.hostname === appUrl.hostname
    return isPublic ? appUrl.origin : hostUrl.origin
  }

  return {
    pageOrigin,
    publicOrigin: (host) => (appUrlIsSet ? null : pageOrigin(host)) ?? appUrl.origin,
  }
}

/** Returns true if the request may continue. If not, the error response has been sent. */
export type Admit = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * Load balancers request these paths by IP address. `requireMetricsAccess` protects the metrics;
 * the other paths contain nothing private.
 */
const hostIndependentPath = /^\/(api\/health|api\/ready|metrics)(\?|$)/

/**
 * Refuses requests for unknown hosts with 421 (RFC 9110 §15.5.20). Otherwise the pages of a foreign
 * domain that resolves to this machine (DNS rebinding) could read our responses. A request with
 * several Host headers is refused with 400. X-Forwarded-Host is ignored, because any client can
 * send it.
 */
export function admitHost(
  hosts: ServedHosts,
  { appUrl, log }: { appUrl: URL; log: Pick<Logger, 'warn'> },
): Admit {
  let hasWarned = false
  return (request, response) => {
    const { headersDistinct, url = '' } = request
    if (hostIndependentPath.test(url)) return true
    const { host: hostHeaders = [] } = headersDistinct
    if (hostHeaders.length > 1) {
      const message = 'The request has more than one Host header.'
      void sendEarlyError(request, response, new AppError('INVALID_INPUT', { message }))
      return false
    }
    const requestedHosts = [...hostHeaders, ...parseTargetHosts(url)]
    if (
      requestedHosts.length > 0 &&
      requestedHosts.every((host) => hosts.pageOrigin(host) !== null)
    )
      return true
    if (!hasWarned) {
      hasWarned = true
      log.warn(
        { host: hostHeaders[0]?.slice(0, 200), appUrl: appUrl.origin },
        'Refused a request for an unknown host: set APP_URL to the address that people open, and make the proxy forward the Host header',
      )
    }
    const message = `This server does not serve this host. Open ${appUrl.origin}, or set APP_URL to the address that people open.`
    void sendEarlyError(request, response, new AppError('HOST_NOT_SERVED', { message }))
    return false
  }
}

/** Returns the host in a request line such as `GET http://host/path` (RFC 9112 §3.2.2). */
function parseTargetHosts(url: string): string[] {
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  return host === undefined ? [] : [host]
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Returns middleware that refuses cross-site requests with side effects. Browsers always send an
 * `Origin` header with such requests; clients without one, such as curl and scripts, have no
 * cookies that another site could abuse. Neither have requests with an API key.
 */
export function sameOrigin(hosts: ServedHosts, appUrl: URL) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const needsCheck = !safeMethods.has(c.req.method) && readBearerKey(c) === null
    if (needsCheck && !isSameOriginRequest(c.req.raw.headers, hosts, appUrl)) {
      throw new AppError('FOREIGN_ORIGIN')
    }
    await next()
  })
}

/**
 * True for a request from the public origin, or from the requested host, which `admitHost` has
 * checked.
 */
function isSameOriginRequest(headers: Headers, hosts: ServedHosts, appUrl: URL): boolean {
  const origin = headers.get('origin')
  if (origin === null) return !isCrossSite(headers)
  return origin === appUrl.origin || origin === hosts.pageOrigin(headers.get('host') ?? undefined)
}

/**
 * True for a request from another site, including our subdomains. GET endpoints with side effects
 * must call this, because `sameOrigin` doesn't check GET.
 */
export function isCrossSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  return site !== null && site !== 'same-origin' && site !== 'none'
}

/**
 * Returns middleware that redirects browsers from localhost to 127.0.0.1 or the reverse, to match
 * `appUrl`: cookies and presigned URLs work only under the name in `appUrl`.
 */
export function loopbackRedirect(appUrl: URL) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const { host, accept } = c.env.incoming.headers
    // Fast path: nearly all requests use the right host, so there is no need to parse their URL.
    if (host === appUrl.host || !accept?.includes('text/html')) return next()
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return next()
    const requestUrl = new URL(c.req.url)
    const isSameServer =
      isLoopback(appUrl.hostname) &&
      isLoopback(requestUrl.hostname) &&
      requestUrl.port === appUrl.port
    if (!isSameServer || requestUrl.hostname === appUrl.hostname) return next()
    return c.redirect(`${appUrl.origin}${requestUrl.pathname}${requestUrl.search}`, 302)
  })
}
