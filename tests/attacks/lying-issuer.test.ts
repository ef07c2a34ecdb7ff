import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MutableResponse, MutableToken } from 'oauth2-mock-server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { isPage } from '../support/google-app.ts'
import { makeBrowser } from '../support/issuer-browser.ts'
import { json, logIn, makeClient, makePerson, type Person } from '../support/make.ts'
import { type MockIssuer, startMockIssuer } from '../support/mock-issuer.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The issuer (Google) is an external service. It may be unreachable, hang, send endless responses,
 * or name URLs that the server must not call. Only users who sign in with Google may be affected.
 */

const discoveryPath = '/.well-known/openid-configuration'
const mebibyte = 1024 ** 2

let issuer: MockIssuer
let app: TestApp
let person: Person
beforeAll(async () => {
  issuer = await startIssuer()
  app = await startApp(issuer)
  person = await makePerson(app)
})
afterEach(() => {
  issuer.reset()
  signAnyoneIn(issuer)
})
afterAll(async () => {
  await app.close()
  await issuer.close()
})

async function startIssuer(): Promise<MockIssuer> {
  const newIssuer = await startMockIssuer()
  signAnyoneIn(newIssuer)
  return newIssuer
}

function signAnyoneIn({ service }: MockIssuer) {
  service.on('beforeTokenSigning', ({ payload }: MutableToken) => {
    const claims = { sub: 'ada', email: 'ada@example.org', email_verified: true, given_name: 'Ada' }
    if (payload.aud === 'mayfly') Object.assign(payload, claims)
  })
}

function startApp({ url }: MockIssuer): Promise<TestApp> {
  return startTestApp({
    env: {
      GOOGLE_ISSUER: url,
      GOOGLE_CLIENT_ID: 'mayfly',
      GOOGLE_CLIENT_SECRET: 'the-secret-of-the-client',
    },
  })
}

/** Signs in. Returns the path the browser ends up on. */
async function signInAndGetPath(server = app): Promise<string> {
  const finalUrl = await makeBrowser(server).open('/api/login', (url) => isPage(server, url))
  return finalUrl.href.slice(server.url.length)
}

/** Makes the server drop the issuer's cached metadata, as a failed sign-in does. */
async function clearIssuerMetadata() {
  issuer.overrides.set('/token', (_, response) => void response.writeHead(500).end())
  expect(await signInAndGetPath()).toBe(unavailablePath)
  issuer.overrides.clear()
  issuer.requests.length = 0
}

const unavailablePath = '/login?fault=google-away'

/** Asserts that users who don't sign in through the issuer are still served. */
async function expectOtherUsersServed(server: TestApp, person: Person) {
  expect((await person.fetch('/api/auth/user')).status).toBe(200)
  await logIn(server, person.email, person.password)
  const visitor = makeClient(server)
  expect((await visitor.fetch('/api/ready')).status).toBe(200)
  expect(await json(await visitor.fetch('/api/auth/ways'))).toMatchObject({ google: true })
}

it("the issuer isn't contacted before the first sign-in", async () => {
  await expectOtherUsersServed(app, person)
  expect(issuer.requests).toEqual([])
})

it('discovery runs once for many sign-ins, and again after a failure', async () => {
  expect(await Promise.all(Array.from({ length: 5 }, () => signInAndGetPath()))).toEqual(
    Array(5).fill('/'),
  )
  expect(await signInAndGetPath()).toBe('/')
  const countDiscoveries = () =>
    issuer.requests.filter((request) => request === `GET ${discoveryPath}`).length
  expect(countDiscoveries()).toBe(1)
  await clearIssuerMetadata()
  expect(await signInAndGetPath()).toBe('/')
  expect(countDiscoveries()).toBe(1)
})

describe('an issuer that never responds', () => {
  const neverRespond = () => {}
  const sendPartialBody = (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"issuer":')
  }

  it('delays no other user, at any endpoint, and fails the sign-in', async () => {
    const stallCases = [
      [discoveryPath, sendPartialBody],
      ['/token', neverRespond],
      ['/jwks', sendPartialBody],
    ] as const
    // Run these in parallel, because each attempt lasts until the request to the issuer times out.
    await Promise.all(
      stallCases.map(async ([path, response]) => {
        const silentIssuer = await startIssuer()
        const server = await startApp(silentIssuer)
        const person = await makePerson(server)
        silentIssuer.overrides.set(path, response)
        // On a busy machine, the request to the issuer may time out before the other users are
        // served. In that case, try again.
        const stalledSignIn = await eventually(async () => {
          silentIssuer.requests.length = 0
          let hasEnded = false
          const signInPromise = signInAndGetPath(server).finally(() => {
            hasEnded = true
          })
          await eventually(() => expect(silentIssuer.requests.at(-1)).toContain(path))
          await expectOtherUsersServed(server, person)
          expect(hasEnded).toBe(false)
          return { ended: signInPromise }
        })
        expect(await stalledSignIn.ended).toBe(unavailablePath)

        silentIssuer.overrides.clear()
        expect(await signInAndGetPath(server)).toBe('/')
        await server.close()
        await silentIssuer.close()
      }),
    )
  })
})

it('times out after 3 s for discovery and 5 s otherwise', async () => {
  await clearIssuerMetadata()
  const timeoutSpy = vi.spyOn(AbortSignal, 'timeout')
  try {
    expect(await signInAndGetPath()).toBe('/')
    expect(timeoutSpy.mock.calls).toEqual([[3000], [5000], [5000]])
  } finally {
    timeoutSpy.mockRestore()
  }
  expect(issuer.requests).toEqual([
    `GET ${discoveryPath}`,
    'GET /authorize',
    'POST /token',
    'GET /jwks',
  ])
})

describe('an unreachable issuer', () => {
  it('is used again once it is back', async () => {
    await clearIssuerMetadata()
    await issuer.goOffline()
    expect(await signInAndGetPath()).toBe(unavailablePath)
    await expectOtherUsersServed(app, person)
    await issuer.goOnline()
    expect(await signInAndGetPath()).toBe('/')
  })

  it('is reported if it fails mid-sign-in', async () => {
    const browser = makeBrowser(app)
    const callbackUrl = await browser.open('/api/login', ({ pathname }) =>
      pathname.includes('/callback'),
    )
    await issuer.goOffline()
    const response = await browser.fetch(callbackUrl.href)
    await issuer.goOnline()
    expect(response.headers.get('location')).toBe(unavailablePath)
  })

  it('is reported as a temporary error when linking an account', async () => {
    await clearIssuerMetadata()
    await issuer.goOffline()
    const response = await person.post('/api/auth/user/ways/google', {
      currentPassword: person.password,
    })
    await issuer.goOnline()
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('60')
    expect(await response.json()).toEqual({
      code: 'UNAVAILABLE',
      message: 'Google cannot be reached right now. Please try again in a minute.',
    })
  })
})

describe('a response of 10 MB', () => {
  it.each([discoveryPath, '/token', '/jwks', '/userinfo'])(
    'from %s is not read to its end',
    async (path) => {
      issuer.service.on('beforeTokenSigning', ({ payload }: MutableToken) => {
        if (path === '/userinfo') delete payload.email
      })
      const transfer = Promise.withResolvers<{ sent: number; isComplete: boolean }>()
      issuer.overrides.set(path, (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        void send(response, 10 * mebibyte).then(transfer.resolve)
      })
      expect(await signInAndGetPath()).toBe(unavailablePath)
      const { sent, isComplete } = await transfer.promise
      expect(isComplete).toBe(false)
      expect(sent).toBeLessThan(10 * mebibyte)
    },
  )

  /**
   * Sends spaces as fast as the server reads them. Returns how many bytes were sent, and whether
   * that was the whole body.
   */
  const send = async (response: ServerResponse, size: number) => {
    const closePromise = once(response, 'close')
    let sentBytes = 0
    while (sentBytes < size && !response.destroyed) {
      sentBytes += 64 * 1024
      if (!response.write(' '.repeat(64 * 1024)))
        await Promise.race([once(response, 'drain'), closePromise])
    }
    const isComplete = !response.destroyed
    response.end()
    return { sent: sentBytes, isComplete }
  }
})

describe('an invalid response', () => {
  beforeEach(clearIssuerMetadata)

  it.each([
    ['an error status', 500, 'application/json', '{}'],
    ['an HTML page', 200, 'text/html', '<h1>Welcome to our hotel</h1>'],
    ['truncated JSON', 200, 'application/json', '{"issuer":'],
    ['an array', 200, 'application/json', '[]'],
    ['an empty body', 204, 'application/json', ''],
  ])('is rejected: %s', async (_, status, type, body) => {
    issuer.overrides.set(discoveryPath, (_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body)
    })
    expect(await signInAndGetPath()).toBe(unavailablePath)
  })

  it('is rejected if it redirects', async () => {
    const requestedPaths: string[] = []
    const otherServer = createServer((request, response) => {
      requestedPaths.push(request.url ?? '')
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(otherServer, 'listening')
    const { port } = otherServer.address() as AddressInfo
    for (const path of [discoveryPath, '/token', '/jwks']) {
      issuer.overrides.set(path, (_, response) => {
        response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end()
      })
      expect(await signInAndGetPath()).toBe(unavailablePath)
      issuer.overrides.clear()
    }
    expect(requestedPaths).toEqual([])
    otherServer.close()
  })
})

describe('a lying issuer', () => {
  beforeEach(clearIssuerMetadata)

  it.each([
    ['authorization_endpoint', 'http://evil.example/authorize'],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', undefined],
    ['token_endpoint', 'http://169.254.169.254/latest/meta-data/'],
    ['token_endpoint', 'http://10.0.0.1/token'],
    ['token_endpoint', 'http://user:password@127.0.0.1/token'],
    ['token_endpoint', 'file:///etc/passwd'],
    ['token_endpoint', '/token'],
    ['token_endpoint', 7],
    ['token_endpoint', undefined],
    ['jwks_uri', 'http://192.168.0.1/keys'],
    ['jwks_uri', 'data:application/json,{"keys":[]}'],
    ['jwks_uri', undefined],
    ['userinfo_endpoint', 'http://127.0.0.1.evil.example/'],
    ['issuer', 'https://accounts.google.com'],
    ['issuer', undefined],
  ])('with %s = %s is not contacted again', async (name, value) => {
    issuer.service.on('beforeWellKnownOpenIdConfiguration', ({ body }: MutableResponse) => {
      Object.assign(body, { [name]: value })
    })
    const response = await makeClient(app).fetch('/api/login')
    expect(response.headers.get('location')).toBe(unavailablePath)
    expect(issuer.requests).toEqual([`GET ${discoveryPath}`])
    expect(app.logLines.findLast(({ fault }) => fault === 'google-away')).toMatchObject({
      level: 40,
    })
  })
})
