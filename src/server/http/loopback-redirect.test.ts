import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BareServer, serveBare } from '../../../tests/support/bare-server.ts'
import { type SendOptions, send } from '../../../tests/support/send.ts'
import { loopbackRedirect } from './hosts.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

function serve(appUrl: string) {
  return serveBare((app) => {
    app.use(loopbackRedirect(new URL(appUrl)))
    app.all('*', (c) => c.text('let through'))
  })
}

let loopbackServer: BareServer
let publicServer: BareServer
beforeAll(async () => {
  loopbackServer = await serve('http://127.0.0.1:3000')
  publicServer = await serve('https://files.example.org')
})
afterAll(() => Promise.all([loopbackServer.close(), publicServer.close()]))

/**
 * Opens `path` on `host` as a browser would. Returns the redirect target, or null if there is no
 * redirect.
 */
async function fetchRedirectTarget(
  server: BareServer,
  host: string,
  path: string,
  options: SendOptions = {},
) {
  const headers = { ...browser, host, ...options.headers }
  const response = await send(server.url, { ...options, path, headers })
  if (response.status === 302) return response.headers.location
  expect(response.status).toBe(200)
  return null
}

describe('a page under another loopback name', () => {
  it.each([
    'localhost:3000',
    'LOCALHOST:3000',
    'mayfly.localhost:3000',
    '[::1]:3000',
    '127.1.2.3:3000',
  ])('redirects from %s to the public name, keeping path and query', async (host) => {
    const path = '/s/abc%2Fd?next=%2Flogin&x=a%20b'
    expect(await fetchRedirectTarget(loopbackServer, host, path)).toBe(
      `http://127.0.0.1:3000${path}`,
    )
  })

  it('also redirects HEAD', async () => {
    const redirectUrl = await fetchRedirectTarget(loopbackServer, 'localhost:3000', '/login', {
      method: 'HEAD',
    })
    expect(redirectUrl).toBe('http://127.0.0.1:3000/login')
  })

  it('redirects to the public name', async () => {
    const server = await serve('http://localhost:3000')
    expect(await fetchRedirectTarget(server, '127.0.0.1:3000', '/')).toBe('http://localhost:3000/')
    expect(await fetchRedirectTarget(server, 'localhost:3000', '/')).toBeNull()
    await server.close()
  })

  it.each([
    '//evil.example/',
    '//evil.example',
    '///evil.example/%2e%2e',
    '/@evil.example/',
    '/.evil.example',
    '/%5cevil.example',
    'http://localhost:3000//evil.example/',
  ])('never redirects to another machine: %s', async (path) => {
    const redirectUrl = await fetchRedirectTarget(loopbackServer, 'localhost:3000', path)
    expect(new URL(redirectUrl ?? '').origin).toBe('http://127.0.0.1:3000')
  })

  it('redirects any path exactly once', async () => {
    const segment = fc.stringMatching(/^[\w@:.%~;=?&/-]{0,20}$/)
    await fc.assert(
      fc.asyncProperty(segment, async (rest) => {
        const redirectUrl = await fetchRedirectTarget(loopbackServer, 'localhost:3000', `/${rest}`)
        const { host, pathname, search } = new URL(redirectUrl ?? '')
        expect(host).toBe('127.0.0.1:3000')
        expect(await fetchRedirectTarget(loopbackServer, host, pathname + search)).toBeNull()
      }),
      { numRuns: 60 },
    )
  })
})

describe('a request that is not redirected', () => {
  it.each([
    ['the canonical host itself', '127.0.0.1:3000', {}],
    ['another port', 'localhost:3001', {}],
    ['no port', 'localhost', {}],
    ['a public name', 'files.example.org:3000', {}],
    ['a name that only starts like localhost', 'localhost.evil.example:3000', {}],
    ['a name that only ends like localhost', 'notlocalhost:3000', {}],
    ['a name that only starts like a loopback address', '127.0.0.1.evil.example:3000', {}],
    ['a non-loopback address', '10.0.0.1:3000', {}],
    ['a POST', 'localhost:3000', { method: 'POST' }],
    ['a DELETE', 'localhost:3000', { method: 'DELETE' }],
    ['a request for JSON', 'localhost:3000', { headers: { accept: 'application/json' } }],
    ['a request that accepts any type', 'localhost:3000', { headers: { accept: '*/*' } }],
  ])('%s', async (_description, host, options) => {
    expect(await fetchRedirectTarget(loopbackServer, host, '/', options)).toBeNull()
  })

  it.each(['localhost', '127.0.0.1', 'other.example'])(
    '%s, if the public name is not a loopback name',
    async (host) => {
      expect(await fetchRedirectTarget(publicServer, host, '/')).toBeNull()
      expect(await fetchRedirectTarget(publicServer, `${host}:443`, '/')).toBeNull()
    },
  )
})
