import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'
import type { Logger } from 'pino'

/**
 * Returns a request's normalized client address: the last entry in X-Forwarded-For if a trusted
 * proxy sent the request, otherwise the socket's address.
 * @param trustedProxies null if no proxy is trusted.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: BlockList | null): string {
  const peer = peerAddress(request)
  if (!isTrusted(peer, trustedProxies)) return peer
  const forwardedFor = String(request.headers['x-forwarded-for'] ?? '')
  return readAddress(forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1)) ?? peer
}

export function isTrusted(address: string, trustedProxies: BlockList | null): boolean {
  // A closed connection's socket has no address.
  const family = isIP(address)
  if (trustedProxies === null || family === 0) return false
  return trustedProxies.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Parses an address as proxies write it: bare, with a port, in brackets, in quotes, or with a zone.
 * @returns the normalized address (IPv4-mapped IPv6 becomes IPv4), or null if it is invalid.
 */
export function readAddress(text: string): string | null {
  const unquoted = text.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, withPort] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(unquoted) ?? []
  // Drops the zone, which names a network interface on this machine.
  const address = (bracketed ?? withPort ?? unquoted).replace(/%.*$/, '')
  const family = isIP(address)
  if (family !== 6) return family === 4 ? address : null
  const normalizedAddress = new SocketAddress({ address, family: 'ipv6' }).address
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(normalizedAddress)?.[1] ?? normalizedAddress
}

/**
 * Returns the key for per-client limits: an IPv4 address, or the /64 block of an IPv6 address,
 * which usually belongs to one client. Returns other text unchanged.
 */
export function addressBlock(text: string): string {
  const address = readAddress(text) ?? text
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const leadingGroups = head === '' ? [] : head.split(':')
  const trailingGroups = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined
      ? []
      : Array(Math.max(0, 8 - leadingGroups.length - trailingGroups.length)).fill('0')
  return `${[...leadingGroups, ...zeros, ...trailingGroups].slice(0, 4).join(':')}::/64`
}

const privateRanges = [
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

/** Loopback and private networks, as trusted by `TRUST_PROXY=on`. */
export const privateNetworks = readNetworks(privateRanges) as BlockList

/** Parses addresses and networks such as `10.0.0.0/8`. Returns null if any is invalid. */
export function readNetworks(networkTexts: readonly string[]): BlockList | null {
  const networks = new BlockList()
  for (const text of networkTexts) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
    const family = isIP(address)
    const maxLength = family === 6 ? 128 : 32
    const length = bits === undefined ? maxLength : Number(bits)
    if (family === 0 || length > maxLength) return null
    networks.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4')
  }
  return networks
}

/** True if a request seems to come through the operator's own proxy. */
export function isFromProxy(request: IncomingMessage): boolean {
  return (
    request.headers['x-forwarded-for'] !== undefined &&
    isTrusted(peerAddress(request), privateNetworks)
  )
}

/**
 * Returns a function that warns once about an untrusted proxy, because all users behind it share
 * one client's limits.
 */
export function createProxyWarning(
  log: Pick<Logger, 'warn'>,
  trustedProxies: BlockList | null,
): (request: IncomingMessage) => void {
  let hasWarned = false
  return (request) => {
    if (hasWarned || !isFromProxy(request) || isTrusted(peerAddress(request), trustedProxies))
      return
    hasWarned = true
    log.warn(
      { proxy: peerAddress(request) },
      'Untrusted proxy: all its clients count as one address and share its limits. Set TRUST_PROXY=on',
    )
  }
}

/** Returns a connection's peer address: the client's or a proxy's. */
export function peerAddress({ socket }: Pick<IncomingMessage, 'socket'>): string {
  return readAddress(socket.remoteAddress ?? '') ?? 'unknown'
}
