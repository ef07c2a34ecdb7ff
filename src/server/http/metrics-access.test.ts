import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import { describe, expect, test } from 'vitest'
import { privateNetworks } from './client-address.ts'
import { requireMetricsAccess } from './operations.ts'

function checkAccess(
  headers: Record<string, string>,
  {
    token = null,
    from = '127.0.0.1',
    appUrl = 'http://localhost:3000',
    trustedProxies = null,
  }: {
    token?: string | null
    from?: string
    appUrl?: string
    trustedProxies?: BlockList | null
  } = {},
): string {
  const request = { headers, socket: { remoteAddress: from } } as unknown as IncomingMessage
  try {
    requireMetricsAccess(request, {
      appUrl: new URL(appUrl),
      metricsToken: token,
      trustedProxies,
    })
    return 'in'
  } catch (error) {
    return (error as { code: string }).code
  }
}

const localHeaders = { host: '127.0.0.1:3000' }

describe('without a token the metrics are', () => {
  test.each([
    ['127.0.0.1', localHeaders],
    ['127.8.9.10', { host: 'localhost:3000' }],
    ['::1', { host: '[::1]:3000' }],
    ['::ffff:127.0.0.1', localHeaders],
    ['127.0.0.1', {}],
  ])('open to %s with %j', (from, headers) => {
    expect(checkAccess(headers as Record<string, string>, { from })).toBe('in')
  })

  test.each([
    ['another machine', '192.0.2.7', localHeaders],
    ['another machine over IPv6', '2001:db8::1', localHeaders],
    ['a client without an address', '', localHeaders],
    [
      'a proxy that sends X-Forwarded-For',
      '127.0.0.1',
      { ...localHeaders, 'x-forwarded-for': '127.0.0.1' },
    ],
    ['a proxy that sends Forwarded', '127.0.0.1', { ...localHeaders, forwarded: 'for=127.0.0.1' }],
    ['a proxy that sends Via', '127.0.0.1', { ...localHeaders, via: '1.1 proxy' }],
    ['a proxy that keeps the public host', '127.0.0.1', { host: 'files.example.org' }],
    ['a foreign host name', '127.0.0.1', { host: 'localhost.evil.example' }],
    ['a malformed host', '127.0.0.1', { host: 'a b' }],
  ])('closed to %s', (_, from, headers) => {
    expect(checkAccess(headers as Record<string, string>, { from })).toBe('FORBIDDEN')
  })

  // If a proxy adds no headers and rewrites the host, the server can't tell it apart from a local
  // program.
  test.each([
    ['APP_URL is public', { appUrl: 'https://files.example.org' }],
    ['a proxy is trusted', { trustedProxies: privateNetworks }],
  ])('closed to everyone if %s', (_, settings) => {
    for (const headers of [localHeaders, {}])
      expect(checkAccess(headers, settings)).toBe('FORBIDDEN')
    const token = 'a-token-of-the-operator'
    const headers = { ...localHeaders, authorization: `Bearer ${token}` }
    expect(checkAccess(headers, { ...settings, token })).toBe('in')
  })
})

describe('with a token the metrics are', () => {
  const token = 'a-token-of-the-operator'
  const checkAccessWithToken = (authorization: string) =>
    checkAccess({ ...localHeaders, authorization }, { token })

  test('readable from anywhere with it', () => {
    expect(checkAccessWithToken(`Bearer ${token}`)).toBe('in')
    const headers = { host: 'files.example.org', authorization: `bearer ${token}` }
    expect(checkAccess(headers, { token, from: '192.0.2.7' })).toBe('in')
  })

  test.each([
    '',
    token,
    'Bearer',
    'Bearer ',
    `Bearer ${token}x`,
    `Bearer x${token}`,
    `Basic ${token}`,
  ])('closed to %j, even from this machine', (authorization) => {
    expect(checkAccessWithToken(authorization)).toBe('UNAUTHORIZED')
  })
})
