import type { IncomingMessage } from 'node:http'
import { isIP, SocketAddress } from 'node:net'

export interface ProxyTrust {
  /**
   * Whether the address is taken from the last entry of X-Forwarded-For, which our own proxy added.
   */
  trustProxy: boolean
}

/**
 * Returns the address of a request's client, from our own proxy's header or else from the socket.
 * The same address is always written in the same way, so that attempts and transfers can be counted
 * by it.
 */
export function clientAddress(request: IncomingMessage, { trustProxy }: ProxyTrust): string {
  const forwarded = trustProxy ? String(request.headers['x-forwarded-for'] ?? '') : ''
  const told = readAddress(forwarded.slice(forwarded.lastIndexOf(',') + 1))
  return told ?? readAddress(request.socket.remoteAddress ?? '') ?? 'unknown'
}

/**
 * Reads an address as proxies write it: bare, with a port, in brackets, in quotes, or with a zone.
 * @returns the address, always written in the same way (an IPv4 address mapped to IPv6 becomes
 * IPv4), or null if the text contains no address.
 */
export function readAddress(text: string): string | null {
  const bare = text.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, withPort] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(bare) ?? []
  // A zone names a network interface of this machine. It does not tell one client from another.
  const address = (bracketed ?? withPort ?? bare).replace(/%.*$/, '')
  const family = isIP(address)
  if (family !== 6) return family === 4 ? address : null
  const normal = new SocketAddress({ address, family: 'ipv6' }).address
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(normal)?.[1] ?? normal
}
