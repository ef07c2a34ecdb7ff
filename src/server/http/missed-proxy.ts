import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Logger } from 'pino'
import { clientAddress } from './client-address.ts'

/** The networks where an operator's own proxy usually is: this machine, and private networks. */
const nearby = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  nearby.addSubnet(network, bits, 'ipv4')
}
nearby.addAddress('::1', 'ipv6')
nearby.addSubnet('fc00::', 7, 'ipv6')
nearby.addSubnet('fe80::', 10, 'ipv6')

/**
 * Tells whether a request seems to come through a proxy that the operator runs. Such a request has
 * the header `X-Forwarded-For`, and comes from this machine or a private network.
 */
export function isFromProxy(request: IncomingMessage): boolean {
  if (request.headers['x-forwarded-for'] === undefined) return false
  const sender = clientAddress(request, { trustProxy: false })
  // After a connection was cut, its address is unknown.
  const family = isIP(sender)
  return family !== 0 && nearby.check(sender, family === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Makes a function that looks at each request of a server whose setting TRUST_PROXY is off. It
 * warns once if a proxy seems to pass the requests on: all people would then count as one client,
 * with one address.
 */
export function watchForProxy(log: Pick<Logger, 'warn'>): (request: IncomingMessage) => void {
  let isTold = false
  return (request) => {
    if (isTold || !isFromProxy(request)) return
    isTold = true
    const proxy = clientAddress(request, { trustProxy: false })
    log.warn(
      { proxy },
      'A proxy passes requests on, but TRUST_PROXY is off: everybody counts as one address and shares its limits. Set TRUST_PROXY=on',
    )
  }
}
