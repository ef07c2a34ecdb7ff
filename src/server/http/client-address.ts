import type { IncomingMessage } from 'node:http'
import { isIP, SocketAddress } from 'node:net'

export interface ProxyTrust {
  /** Take the address from the last entry of X-Forwarded-For, the one that our own proxy added. */
  trustProxy: boolean
}

/**
 * Where a request comes from, as the socket or our own proxy tells: an address in its one normal form,
 * by which attempts and transfers are counted. What the proxy says and is no address counts for
 * nothing; the socket's address stands in its place.
 */
export function clientAddress(request: IncomingMessage, { trustProxy }: ProxyTrust): string {
  const forwarded = trustProxy ? String(request.headers['x-forwarded-for'] ?? '') : ''
  const told = readAddress(forwarded.slice(forwarded.lastIndexOf(',') + 1))
  return told ?? readAddress(request.socket.remoteAddress ?? '') ?? 'unknown'
}

/**
 * Reads an address as proxies write it: bare, with a port, in brackets, in quotes, with a zone.
 * @returns it in its one normal form, an IPv4 address in IPv6 clothes as IPv4; null where it is none.
 */
export function readAddress(text: string): string | null {
  const bare = text.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, withPort] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(bare) ?? []
  // A zone names an interface of one machine and no other client.
  const address = (bracketed ?? withPort ?? bare).replace(/%.*$/, '')
  const family = isIP(address)
  if (family !== 6) return family === 4 ? address : null
  const normal = new SocketAddress({ address, family: 'ipv6' }).address
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(normal)?.[1] ?? normal
}
