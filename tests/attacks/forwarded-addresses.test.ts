import type { BlockList } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addressBlock,
  privateNetworks,
  readNetworks,
} from '../../src/server/http/client-address.ts'
import { createServedHosts } from '../../src/server/http/hosts.ts'
import { requestContext } from '../../src/server/http/request-context.ts'
import { type BareServer, serveBare } from '../support/bare-server.ts'
import { send } from '../support/send.ts'
import { testClock } from '../support/test-clock.ts'
import { type LogLine, logCollector } from '../support/test-log.ts'

/**
 * The server limits attempts per client IP address. The attack: spell one address in many ways to
 * be counted as many clients.
 */
const hosts = createServedHosts({ appUrl: new URL('http://127.0.0.1'), appUrlIsSet: false })
const warnings: LogLine[] = []

function startServer(trustedProxies: BlockList | null, logLines: LogLine[] = []) {
  return serveBare((app) => {
    const log = pino({ level: 'warn' }, logCollector(logLines))
    app.use(requestContext({ log, clock: testClock() }, { trustedProxies, hosts }))
    app.all('*', (c) => c.text(addressBlock(c.var.clientAddress)))
  })
}

let trustingServer: BareServer
let directServer: BareServer
beforeAll(async () => {
  trustingServer = await startServer(privateNetworks)
  directServer = await startServer(null, warnings)
})
afterAll(() => Promise.all([trustingServer.close(), directServer.close()]))

/** Returns the client's IP address as the server sees it. */
async function getClientAddress(server: BareServer, forwardedFor?: string | string[]) {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return (await send(server.url, { headers })).body.toString()
}

describe('a client that bypasses the proxy', () => {
  it("can't choose its IP address", async () => {
    const proxyServer = await startServer(readNetworks(['192.0.2.1', '10.0.0.0/8']))
    expect(await getClientAddress(proxyServer, '198.51.100.1')).toBe('127.0.0.1')
    await proxyServer.close()
    const localProxyServer = await startServer(readNetworks(['192.0.2.1', '127.0.0.1']))
    expect(await getClientAddress(localProxyServer, '198.51.100.1')).toBe('198.51.100.1')
    await localProxyServer.close()
  })
})

describe('behind a trusted proxy', () => {
  it.each([
    ['a changing port', '192.0.2.7:1', '192.0.2.7:65535'],
    ['brackets and a port', '[2001:db8::1]:443', '2001:db8::1'],
    ['a different notation', '2001:DB8:0:0:0::1', '2001:db8::1'],
    ['another address in the same /64', '2001:db8::ffff:1:2', '2001:db8::1'],
    ['IPv4 mapped to IPv6', '::ffff:192.0.2.7', '192.0.2.7'],
    ['IPv4 mapped to IPv6 in hexadecimal', '::ffff:c000:207', '192.0.2.7'],
    ['quotes and spaces', ' "192.0.2.7" ', '192.0.2.7'],
    ['a zone ID', 'fe80::1%eth0', 'fe80::1%eth1'],
  ])('counts %s as the same client', async (_what, firstHeader, secondHeader) => {
    expect(await getClientAddress(trustingServer, firstHeader)).toBe(
      await getClientAddress(trustingServer, secondHeader),
    )
  })

  it.each([
    'unknown',
    '_secret',
    'evil.example',
    '192.0.2.7,',
    '192.0.2.7, garbage',
    '1'.repeat(2000),
    '',
  ])("counts an invalid address as the connection's: %j", async (forwardedFor) => {
    expect(await getClientAddress(trustingServer, forwardedFor)).toBe('127.0.0.1')
  })

  it('ignores an address the client sent itself', async () => {
    expect(await getClientAddress(trustingServer, '198.51.100.1, 192.0.2.7')).toBe('192.0.2.7')
    expect(await getClientAddress(trustingServer, ['198.51.100.1', '192.0.2.7'])).toBe('192.0.2.7')
    expect(await getClientAddress(trustingServer, '"198.51.100.1, 192.0.2.7')).toBe('192.0.2.7')
  })

  it('counts two clients separately', async () => {
    expect(await getClientAddress(trustingServer, '192.0.2.7:1')).not.toBe(
      await getClientAddress(trustingServer, '192.0.2.8:1'),
    )
  })
})

describe('without a proxy', () => {
  it('ignores forwarded addresses', async () => {
    expect(await getClientAddress(directServer, '192.0.2.7')).toBe('127.0.0.1')
  })

  it('logs an untrusted proxy once', async () => {
    for (const forwardedFor of ['192.0.2.7', '192.0.2.8'])
      await getClientAddress(directServer, forwardedFor)
    expect(warnings.map(({ msg, proxy }) => [msg, proxy])).toEqual([
      [expect.stringContaining('Set TRUST_PROXY=on'), '127.0.0.1'],
    ])
  })
})
