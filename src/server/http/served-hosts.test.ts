import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import { createServedHosts } from './hosts.ts'

function getHosts(appUrl: string, appUrlIsSet = true) {
  return createServedHosts({ appUrl: new URL(appUrl), appUrlIsSet })
}

/** A `Host` header, and the origin of a page opened with it, or null if the request is refused. */
type TestCases = [host: string | undefined, origin: string | null][]

describe('a public host name', () => {
  const hosts = getHosts('https://files.example.org')
  const table: TestCases = [
    ['files.example.org', 'https://files.example.org'],
    ['FILES.Example.ORG', 'https://files.example.org'],
    // The header may contain a proxy's port, our own port, or none.
    ['files.example.org:443', 'https://files.example.org'],
    ['files.example.org:3000', 'https://files.example.org'],
    ['files.example.org:', 'https://files.example.org'],
    // Browsers treat a name with a trailing dot as another host: cookies differ and the page
    // doesn't work.
    ['files.example.org.', null],
    ['evil.example', null],
    ['files.example.org.evil.example', null],
    ['evil-files.example.org', null],
    ['a.files.example.org', null],
    ['localhost', null],
    ['127.0.0.1:3000', null],
    ['[::1]:3000', null],
    ['192.0.2.7', null],
    ['me@files.example.org', null],
    ['files.example.org@evil.example', null],
    ['files.example.org/@evil.example', null],
    ['evil.example#files.example.org', null],
    ['files.example.org, evil.example', null],
    ['files.example.org:3000:4000', null],
    ['files.example.org:65536', null],
    ['files.example.org:80x', null],
    ['files.example.org\\', null],
    ['files。example.org', null],
    ['https://files.example.org', null],
    [' ', null],
    ['', null],
    [undefined, null],
  ]

  it.each(table)('Host %j belongs to %j', (host, origin) => {
    expect(hosts.pageOrigin(host)).toBe(origin)
  })

  it('is the origin of links for every request', () => {
    for (const [host] of table) expect(hosts.publicOrigin(host)).toBe('https://files.example.org')
  })

  it('keeps its port if the proxy omits it', () => {
    const otherHosts = getHosts('https://files.example.org:8443')
    expect(otherHosts.pageOrigin('files.example.org')).toBe('https://files.example.org:8443')
  })
})

describe('a loopback name', () => {
  it.each<TestCases[number]>([
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['localhost:3000', 'http://localhost:3000'],
    ['LocalHost:3000', 'http://localhost:3000'],
    ['mayfly.localhost:3000', 'http://mayfly.localhost:3000'],
    ['127.9.8.7:3000', 'http://127.9.8.7:3000'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['[0:0:0:0:0:0:0:1]:3000', 'http://[::1]:3000'],
    ['rebound.example:3000', null],
    ['localhost.evil.example:3000', null],
    ['evil-localhost:3000', null],
    ['127.0.0.1.evil.example:3000', null],
    ['localhost.:3000', null],
    ['192.0.2.7:3000', null],
    ['0.0.0.0:3000', null],
    ['[2001:db8::1]:3000', null],
  ])('Host %j belongs to %j', (host, origin) => {
    expect(getHosts('http://127.0.0.1:3000').pageOrigin(host)).toBe(origin)
  })

  it("accepts the development proxy's port", () => {
    const hosts = getHosts('http://127.0.0.1:5173')
    expect(hosts.pageOrigin('127.0.0.1:3000')).toBe('http://127.0.0.1:5173')
    expect(hosts.publicOrigin('localhost:3000')).toBe('http://127.0.0.1:5173')
  })
})

describe('without APP_URL', () => {
  const hosts = getHosts('http://localhost:3000', false)

  it.each<TestCases[number]>([
    ['localhost:3000', 'http://localhost:3000'],
    ['localhost:8080', 'http://localhost:8080'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['192.0.2.7:3000', 'http://192.0.2.7:3000'],
    ['192.0.2.7', 'http://192.0.2.7'],
    ['[2001:DB8::1]:3000', 'http://[2001:db8::1]:3000'],
    ['rebound.example:3000', null],
    ['192.0.2.7.evil.example:3000', null],
    ['[evil.example]:3000', null],
    ['[2001:db8::1%25eth0]:3000', null],
    ['me@192.0.2.7:3000', null],
    [undefined, null],
  ])('Host %j belongs to %j', (host, origin) => {
    expect(hosts.pageOrigin(host)).toBe(origin)
  })

  it('links have the requested host', () => {
    expect(hosts.publicOrigin('192.0.2.7:8080')).toBe('http://192.0.2.7:8080')
    expect(hosts.publicOrigin('rebound.example')).toBe('http://localhost:3000')
  })

  it('serves no DNS name', () => {
    fc.assert(
      fc.property(fc.domain(), fc.constantFrom('', ':3000', '.'), (name, rest) => {
        expect(hosts.pageOrigin(name + rest)).toBeNull()
      }),
    )
  })

  it("never returns an origin that isn't served", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 40 }), (host) => {
        const { host: publicHost } = new URL(hosts.publicOrigin(host))
        expect(hosts.pageOrigin(publicHost)).toBe(`http://${publicHost}`)
      }),
    )
  })
})
