/**
 * A *served host* is a host under which this server answers: the host of `APP_URL`, or one that
 * means the same server.
 */
import { isIPv4 } from 'node:net'

/** What a Host header may hold (RFC 9110 §7.2): no password, no path and no second name. */
const hostHeader = /^([a-z\d._-]+|\[[a-f\d:.]+\])(:\d*)?$/i

/** The hosts under which the server answers. DNS rebinding needs a name that is not among them. */
export interface ServedHosts {
  /**
   * Returns the origin of a page opened under this `Host`, or null where the host is not served.
   * Ports are not compared: a proxy may leave them out, and rebinding changes only names.
   */
  pageOrigin(host: string | undefined): string | null
  /**
   * Returns the origin for the links and presigned URLs in an answer to a request with this `Host`.
   */
  publicOrigin(host: string | undefined): string
}

/** True for a name or address by which a machine reaches itself, as `URL.hostname` writes it. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/**
 * Returns the served hosts: the host of `appUrl` and, while it is a loopback name, every loopback
 * name. Where APP_URL is not set, numeric addresses are served too: a server started with
 * HOST=0.0.0.0 is opened by the machine's address, and links lead to the address of the request.
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
