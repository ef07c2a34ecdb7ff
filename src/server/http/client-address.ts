import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'
import type { Logger } from 'pino'

/**
 * Returns the address of a request's client. If a trusted proxy sends the request, this is the last
 * entry of X-Forwarded-For, which the proxy added; otherwise it is the address of the socket.
 * @param trustedProxies the proxies whose header is believed; null for none.
 * @returns the address, always written in the same way, so that attempts can be counted by it.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: BlockList | null): string {
  const sender = senderOf(request)
  if (!isTrusted(sender, trustedProxies)) return sender
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
  return readAddress(forwarded.slice(forwarded.lastIndexOf(',') + 1)) ?? sender
}

/** Tells whether an address is that of a trusted proxy. */
export function isTrusted(address: string, trustedProxies: BlockList | null): boolean {
  // After a connection was cut, its address is unknown.
  const family = isIP(address)
  if (trustedProxies === null || family === 0) return false
  return trustedProxies.check(address, family === 6 ? 'ipv6' : 'ipv4')
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

/**
 * Returns the key under which a client's attempts are counted. For IPv4 it is the address itself.
 * For IPv6 it is the first 64 bits, because one client usually has all addresses that begin with
 * them. Any other text is returned as it is.
 */
export function addressBlock(text: string): string {
  const address = readAddress(text) ?? text
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array(Math.max(0, 8 - before.length - after.length)).fill('0')
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`
}

/** The networks where an operator's own proxy usually is: this machine, and private networks. */
const nearbyNetworks = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1',
  'fc00::/7',
  'fe80::/10',
]

/** Loopback and private networks: what `TRUST_PROXY=on` trusts. */
export const nearby = readNetworks(nearbyNetworks) as BlockList

/** Reads addresses and networks such as `10.0.0.0/8`. Returns null if one of them is neither. */
export function readNetworks(texts: readonly string[]): BlockList | null {
  const networks = new BlockList()
  for (const text of texts) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
    const family = isIP(address)
    const longest = family === 6 ? 128 : 32
    const length = bits === undefined ? longest : Number(bits)
    if (family === 0 || length > longest) return null
    networks.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4')
  }
  return networks
}

/**
 * Tells whether a request seems to come through a proxy that the operator runs. Such a request has
 * the header `X-Forwarded-For`, and comes from this machine or a private network.
 */
export function isFromProxy(request: IncomingMessage): boolean {
  return request.headers['x-forwarded-for'] !== undefined && isTrusted(senderOf(request), nearby)
}

/**
 * Makes a function that checks each request. It warns once about a proxy that is not trusted: all
 * its users would count as one client.
 */
export function watchForProxy(
  log: Pick<Logger, 'warn'>,
  trustedProxies: BlockList | null,
): (request: IncomingMessage) => void {
  let isTold = false
  return (request) => {
    if (isTold || !isFromProxy(request) || isTrusted(senderOf(request), trustedProxies)) return
    isTold = true
    log.warn(
      { proxy: senderOf(request) },
      'A proxy passes requests on, but TRUST_PROXY does not name it: everybody counts as one address and shares its limits. Set TRUST_PROXY=on',
    )
  }
}

/** Returns the address that a connection comes from: the client's, or that of a proxy. */
export function senderOf({ socket }: Pick<IncomingMessage, 'socket'>): string {
  return readAddress(socket.remoteAddress ?? '') ?? 'unknown'
}
