/**
 * A *served host* is a host under which this server answers: the host of `APP_URL`, or one that
 * means the same server.
 */
import { isIPv4 } from 'node:net'

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
