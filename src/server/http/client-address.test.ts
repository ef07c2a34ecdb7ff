import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import {
  addressBlock,
  createProxyWarning,
  isTrusted,
  readAddress,
  readNetworks,
} from './client-address.ts'

describe('readAddress', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    [' 192.0.2.7\t', '192.0.2.7'],
    ['192.0.2.7:5678', '192.0.2.7'],
    ['"192.0.2.7:5678"', '192.0.2.7'],
    ['[192.0.2.7]:5678', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:C000:0207', '192.0.2.7'],
    ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:0DB8:0000::0001', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
    ['', null],
    ['unknown', null],
    ['_hidden', null],
    ['files.example.org', null],
    ['192.0.2', null],
    ['192.0.2.256', null],
    ['192.0.2.7:', null],
    ['192.0.2.7:80:80', null],
    ['192.0.2.7 198.51.100.1', null],
    ['[2001:db8::1', null],
    ['2001:db8::1]:443', null],
    ['for=192.0.2.7', null],
    ['"', null],
  ])('parses %j as %j', (text, address) => {
    expect(readAddress(text)).toBe(address)
  })

  it('ignores the port', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), fc.nat(65535), (v4, v6, port) => {
        expect(readAddress(`${v4}:${port}`)).toBe(v4)
        expect(readAddress(`[${v6}]:${port}`)).toBe(readAddress(v6))
        expect(readAddress(v6.toUpperCase())).toBe(readAddress(v6))
      }),
    )
  })

  it('is idempotent and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.ipV6()), (text) => {
        const address = readAddress(text)
        if (address !== null) expect(readAddress(address)).toBe(address)
      }),
    )
  })
})

function requestFrom(remoteAddress: string, headers: Record<string, string>) {
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage
}

describe('addressBlock', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s counts as %s', (address, block) => {
    expect(addressBlock(address)).toBe(block)
  })
})

describe('readNetworks', () => {
  it.each(['', 'x', '10.0.0.0/33', '10.0.0.0/', '::1/129', '10.0.0.0/8/8', '10.0.0/8'])(
    'refuses %j',
    (text) => expect(readNetworks([text])).toBeNull(),
  )

  it('matches exactly the addresses of each network', () => {
    const networks = readNetworks(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])
    expect(['10.9.9.9', '192.0.2.7', '2001:db8::1'].map((a) => isTrusted(a, networks))).toEqual(
      Array(3).fill(true),
    )
    expect(['11.0.0.1', '192.0.2.8', '::1', 'unknown'].some((a) => isTrusted(a, networks))).toBe(
      false,
    )
  })
})

describe('the warning about an untrusted proxy', () => {
  const forwardedHeaders = { 'x-forwarded-for': '203.0.113.9' }
  function collectWarnings(
    address: string,
    headers: Record<string, string>,
    trusted: string[] = [],
  ) {
    const lines: unknown[] = []
    const log = { warn: (details: unknown) => void lines.push(details) }
    const warnOnce = createProxyWarning(log, readNetworks(trusted))
    for (let n = 0; n < 2; n += 1) warnOnce(requestFrom(address, headers))
    return lines
  }

  it.each(['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.0.7', '100.64.0.1', '::1', 'fd00::1'])(
    'is logged once for %s',
    (address) => expect(collectWarnings(address, forwardedHeaders)).toEqual([{ proxy: address }]),
  )

  it.each(['203.0.113.7', '172.32.0.1', '100.128.0.1', '2001:db8::1'])(
    'is not logged for %s, because any client can send that header',
    (address) => expect(collectWarnings(address, forwardedHeaders)).toEqual([]),
  )

  it('is not logged for a trusted proxy or a direct request', () => {
    expect(collectWarnings('10.0.0.1', forwardedHeaders, ['10.0.0.1'])).toEqual([])
    expect(collectWarnings('127.0.0.1', {})).toEqual([])
  })
})
