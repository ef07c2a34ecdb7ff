import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv4 } from 'node:net'
import { createMiddleware } from 'hono/factory'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { sendEarlyError } from './early-response.ts'
import type { HttpEnv } from './env.ts'

/**
 * A *served host* is a host under which this server answers: the host of `APP_URL`, or one that
 * means the same server.
 */

/**
 * What a Host header may hold (RFC 9110 §7.2): a name or an address, and a port. No password, no
 * path and no second name.
 */
const hostHeader = /^([a-z\d._-]+|\[[a-f\d:.]+\])(:\d*)?$/i

/**
 * The hosts that the server answers for. An attack by DNS rebinding uses another name and is
 * refused.
 */
export interface ServedHosts {
  /**
   * Returns the origin of a page that was opened with this `Host` header, or null where the host is
   * not served. Ports are not compared: a proxy may leave them out, and DNS rebinding changes only
   * names.
   */
  pageOrigin(host: string | undefined): string | null
  /**
   * Returns the origin that links and presigned URLs get in the answer to a request with this
   * `Host` header.
   */
  publicOrigin(host: string | undefined): string
}

/**
 * True for a name or address by which a machine reaches itself. `hostname` is written as in
 * `URL.hostname`.
 */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/**
 * Returns the hosts that the server answers for: the host of `appUrl` and, if that is a loopback
 * name, every loopback name. Where APP_URL is not set, numeric addresses are served too: a server
 * that was started with HOST=0.0.0.0 is opened by the machine's address, and its links lead to that
 * address.
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

/** Returns true if the request may go on. Otherwise it has been refused with an answer. */
export type Admit = (request: IncomingMessage, response: ServerResponse) => boolean

/** Load balancers request these paths by the machine's address. The answers hold no secrets. */
const forAnyHost = /^\/(api\/health|api\/ready|metrics)(\?|$)/

/**
 * Refuses requests for a host that is not ours with 421 (RFC 9110 §15.5.20), before any other code
 * sees the path. Otherwise a stranger could let a domain name point at this machine (DNS
 * rebinding), and the stranger's page could read our answers. A request with more than one Host
 * header is refused with 400. X-Forwarded-Host is ignored, because any client can send it.
 */
export function admitHost(
  hosts: ServedHosts,
  { appUrl, log }: { appUrl: URL; log: Pick<Logger, 'warn'> },
): Admit {
  let isTold = false

  /**
   * Logs the first refusal only. Its usual cause is a wrong APP_URL, or a proxy that does not pass
   * on the Host header.
   */
  const tell = (host: string | undefined): void => {
    if (isTold) return
    isTold = true
    log.warn(
      { host: host?.slice(0, 200), appUrl: appUrl.origin },
      'A request for a host that is not served was refused; APP_URL says which one is',
    )
  }

  return (request, response) => {
    if (forAnyHost.test(request.url ?? '')) return true
    const asked = askedHosts(request)
    if (asked.length > 1) {
      const message = 'The request has more than one Host header.'
      void sendEarlyError(request, response, new AppError('INVALID_INPUT', { message }))
      return false
    }
    const ours = [...asked, ...targetHost(request)].map((host) => hosts.pageOrigin(host) !== null)
    if (ours.length > 0 && !ours.includes(false)) return true
    tell(asked[0])
    refuseHost(request, response, appUrl)
    return false
  }
}

/**
 * Returns every Host header, so that a request with more than one can be refused. Node's own table
 * of headers keeps only the first one.
 */
function askedHosts({ rawHeaders }: IncomingMessage): string[] {
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '')
  }
  return hosts
}

/** Returns the host in a request line such as `GET http://host/path` (RFC 9112 §3.2.2). */
function targetHost({ url = '' }: IncomingMessage): string[] {
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  return host === undefined ? [] : [host]
}

function refuseHost(request: IncomingMessage, response: ServerResponse, { origin }: URL): void {
  const message = `There is no site of this name here. Open ${origin}, or set APP_URL to the address that people open.`
  const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html')
  if (!isPage) {
    void sendEarlyError(request, response, new AppError('HOST_NOT_SERVED', { message }))
    return
  }
  // URL's parser made this origin, so it holds no character that HTML would interpret.
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Misdirected request</title>
<p>${message.replace(origin, `<a href="${origin}">${origin}</a>`)}</p></html>
`
  response.writeHead(421, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Content-Security-Policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(html)
}

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

/**
 * Redirects a browser that opened this machine by another loopback name (localhost for 127.0.0.1)
 * to the name in `appUrl`, because cookies and presigned URLs work only under that name. Only pages
 * are redirected, only from one loopback name to another, and only on the same port.
 */
export function loopbackRedirect(appUrl: URL) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const { host, accept } = c.env.incoming.headers
    // Nearly every request has the right name. So it passes before its URL is parsed, which would
    // cost more.
    if (host === appUrl.host || !accept?.includes('text/html')) return next()
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return next()
    const asked = new URL(c.req.url)
    const sameServer =
      isLoopback(appUrl.hostname) && isLoopback(asked.hostname) && asked.port === appUrl.port
    if (!sameServer || asked.hostname === appUrl.hostname) return next()
    return c.redirect(`${appUrl.origin}${asked.pathname}${asked.search}`, 302)
  })
}
