import { isIPv6 } from 'node:net'
import { readAddress } from './client-address.ts'

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
