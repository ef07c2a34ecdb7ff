import { isIPv6 } from 'node:net'
import { readAddress } from './client-address.ts'

/**
 * What attempts are counted by: an IPv4 address itself, of an IPv6 address the first 64 bits, since
 * whoever has one of those addresses has them all. Anything else is taken as it stands.
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
