/** A *served host* is one under which this server answers: that of `APP_URL`, and what stands for it. */
import { isIPv4 } from 'node:net'

/** What a Host header may hold (RFC 9110 §7.2); nobody's password, path or second name. */
const hostHeader = /^([a-z\d._-]+|\[[a-f\d:.]+\])(:\d*)?$/i

/** Under which hosts the server answers. DNS rebinding needs a name that is not among them. */
export interface ServedHosts {
  /**
   * The origin of a page that a browser opened under this `Host`; null where the host is not served.
   * Ports are not compared: a proxy may leave them out, and no name is rebound by its port.
   */
  pageOrigin(host: string | undefined): string | null
  /** The origin of the links and presigned URLs in an answer to a request with this `Host`. */
  publicOrigin(host: string | undefined): string
}

/** True for a name or address by which a machine calls itself, as `URL.hostname` writes it. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/**
 * The host of `appUrl`, with every loopback name beside it while it is one. Where nobody has set
 * APP_URL, addresses written as numbers too: whoever starts the server with HOST=0.0.0.0 opens it by
 * the machine's address, and links lead to where the request came in.
 */
export function servedHosts({
  appUrl,
  appUrlIsSet,
}: {
  appUrl: URL
  appUrlIsSet: boolean
}): ServedHosts {
  function isServed(hostname: string): boolean {
    if (hostname === appUrl.hostname) return true
    if (isLoopback(hostname) && isLoopback(appUrl.hostname)) return true
    return !appUrlIsSet && (isIPv4(hostname) || hostname.startsWith('['))
  }

  function pageOrigin(host = ''): string | null {
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
