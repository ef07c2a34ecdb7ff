import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAddress } from './client-address.ts'

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
  ])('%j is %j', (text, address) => {
    expect(readAddress(text)).toBe(address)
  })

  it('reads one client as one address, whatever port its connection has', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), fc.nat(65535), (v4, v6, port) => {
        expect(readAddress(`${v4}:${port}`)).toBe(v4)
        expect(readAddress(`[${v6}]:${port}`)).toBe(readAddress(v6))
        expect(readAddress(v6.toUpperCase())).toBe(readAddress(v6))
      }),
    )
  })

  it('reads what it gave the same way, and never fails', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.ipV6()), (text) => {
        const address = readAddress(text)
        if (address !== null) expect(readAddress(address)).toBe(address)
      }),
    )
  })
})
