import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { MutableResponse, MutableToken } from 'oauth2-mock-server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { users } from '../../src/server/db/schema.ts'
import { isPage } from '../support/google-app.ts'
import { makeBrowser } from '../support/issuer-browser.ts'
import { json, makePerson, type Person } from '../support/make.ts'
import { type MockIssuer, startMockIssuer } from '../support/mock-issuer.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/** The attack: forge responses from the issuer (Google) to sign in as another user. */

const clientId = 'mayfly'
let issuer: MockIssuer
let app: TestApp
let victim: Person
beforeAll(async () => {
  issuer = await startMockIssuer()
  app = await startTestApp({
    env: {
      GOOGLE_ISSUER: issuer.url,
      GOOGLE_CLIENT_ID: clientId,
      GOOGLE_CLIENT_SECRET: 'the-secret-of-the-client',
    },
  })
})
afterAll(async () => {
  await app.close()
  await issuer.close()
})

beforeEach(async () => {
  victim = await makePerson(app)
  await app.deps.db.update(users).set({ emailVerified: true }).where(eq(users.email, victim.email))
  changeIdToken({})
})
afterEach(() => {
  issuer.reset()
})

type Claims = Record<string, unknown>

/** Makes the issuer's ID tokens identify the victim, with these claims changed. */
function changeIdToken(claims: Claims) {
  issuer.service.removeAllListeners('beforeTokenSigning')
  issuer.service.on('beforeTokenSigning', ({ payload }: MutableToken) => {
    if (payload.aud !== clientId) return // an access token, which we don't read
    const validClaims = {
      sub: victim.id,
      email: victim.email,
      email_verified: true,
      given_name: 'Ada',
    }
    Object.assign(payload, validClaims, claims)
    for (const [name, value] of Object.entries(claims)) {
      if (value === undefined) delete payload[name]
    }
  })
}

function replaceIdToken(replace: (idToken: string) => string) {
  issuer.service.on('beforeResponse', ({ body }: MutableResponse) => {
    if (typeof body !== 'string') body.id_token = replace(String(body.id_token))
  })
}

/** Signs in. Returns the path the browser ends up on. */
async function signInAndGetPath(): Promise<string> {
  const browser = makeBrowser(app)
  const finalUrl = await browser.open('/api/login', (url) => isPage(app, url))
  const userResponse = await browser.fetch('/api/auth/user')
  if (finalUrl.pathname === '/') {
    expect(await json(userResponse)).toMatchObject({ id: victim.id })
  } else {
    expect(userResponse.status).toBe(401)
    expect(browser.cookie()).not.toContain('session_token')
  }
  return finalUrl.href.slice(app.url.length)
}

function makeTimestamp(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds
}

function encode(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64url')
}

function decodePart(part = ''): Claims {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

/** Re-signs the token's claims with this header and key. */
function signAgain(token: string, header: Claims, key?: KeyObject): string {
  const [, payload = ''] = token.split('.')
  const text = `${encode(header)}.${payload}`
  return `${text}.${key ? sign('sha256', Buffer.from(text), key).toString('base64url') : ''}`
}

it('accepts a genuine token', async () => {
  expect(await signInAndGetPath()).toBe('/')
})

describe('rejects an ID token', () => {
  it.each<[string, Claims]>([
    ['with another nonce', { nonce: 'of another request' }],
    ['without a nonce', { nonce: undefined }],
    ['for another audience', { aud: ['another client'] }],
    ['for several audiences without azp', { aud: [clientId, 'another client'] }],
    ['issued to another client', { aud: [clientId, 'x'], azp: 'another client' }],
    ['without an audience', { aud: undefined }],
    ['from another issuer', { iss: 'https://accounts.google.com' }],
    ['without an issuer', { iss: undefined }],
    ['without a subject', { sub: undefined }],
    ["with a subject that isn't a string", { sub: { id: 'x' } }],
    ['without an expiry', { exp: undefined }],
    ["with an expiry that isn't a number", { exp: 'tomorrow' }],
  ])('%s', async (_, claims) => {
    changeIdToken(claims)
    expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
  })

  it.each<[string, Claims]>([
    ['that has expired', { exp: makeTimestamp(-120) }],
    ['that is not valid yet', { nbf: makeTimestamp(3600) }],
  ])('%s, and blames a wrong clock', async (_, claims) => {
    changeIdToken(claims)
    expect(await signInAndGetPath()).toBe('/login?fault=google-clock')
  })

  it('without a signature (alg: none)', async () => {
    for (const algorithm of ['none', 'None', 'NONE', '']) {
      issuer.service.removeAllListeners('beforeResponse')
      replaceIdToken((token) => signAgain(token, { alg: algorithm, typ: 'JWT' }))
      expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
    }
  })

  it('with a truncated or altered signature', async () => {
    for (const alterToken of [
      (token: string) => token.replace(/[^.]+$/, ''),
      (token: string) => token.replace(/[^.]{20}$/, 'AAAAAAAAAAAAAAAAAAAA'),
    ]) {
      issuer.service.removeAllListeners('beforeResponse')
      replaceIdToken(alterToken)
      expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
    }
  })

  it('with claims altered after signing', async () => {
    replaceIdToken((token) => {
      const [header, payload, signature] = token.split('.')
      const claims = { ...decodePart(payload), sub: 'somebody else' }
      return `${header}.${encode(claims)}.${signature}`
    })
    expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
  })

  it('signed with another key, even one with the same id or in its header', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = publicKey.export({ format: 'jwk' })
    const [{ kid } = { kid: '' }] = issuer.service.issuer.keys.toJSON()
    for (const header of [{ kid }, { kid: 'a new key' }, { kid, jwk }, {}]) {
      issuer.service.removeAllListeners('beforeResponse')
      replaceIdToken((token) => signAgain(token, { alg: 'RS256', ...header }, privateKey))
      expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
    }
  })

  it('signed with the client secret as the key (alg: HS256)', async () => {
    replaceIdToken((token) => {
      const text = signAgain(token, { alg: 'HS256' }).replace(/\.$/, '')
      const signature = createHmac('sha256', 'the-secret-of-the-client').update(text)
      return `${text}.${signature.digest('base64url')}`
    })
    expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
  })

  it.each(['', 'a.b', 'a.b.c', 'a.b.c.d.e'])('that is malformed: %j', async (token) => {
    replaceIdToken(() => token)
    expect(await signInAndGetPath()).toMatch(/^\/login\?fault=google-(refused|away)$/)
  })

  it('that is missing', async () => {
    issuer.service.on('beforeResponse', ({ body }: MutableResponse) => {
      if (typeof body !== 'string') delete body.id_token
    })
    expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
  })
})

describe("doesn't trust an email address", () => {
  it.each<[string, unknown]>([
    ['"false"', 'false'],
    ['"true"', 'true'],
    ['1', 1],
    ['nothing', undefined],
    ['null', null],
  ])('with email_verified = %s', async (_, email_verified) => {
    changeIdToken({ email_verified })
    expect(await signInAndGetPath()).toBe('/login?fault=google-unverified')
  })

  it('if userinfo verifies a different address', async () => {
    changeIdToken({ email_verified: undefined, given_name: undefined })
    issuer.service.on('beforeUserinfo', ({ body }: MutableResponse) => {
      Object.assign(body, { sub: victim.id, email: 'mine@example.org', email_verified: true })
    })
    expect(await signInAndGetPath()).toBe('/login?fault=google-unverified')
  })

  it('if userinfo has another subject', async () => {
    changeIdToken({ sub: 'attacker', email: undefined })
    issuer.service.on('beforeUserinfo', ({ body }: MutableResponse) => {
      Object.assign(body, { sub: victim.id, email: victim.email, email_verified: true })
    })
    expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
  })
})

describe('rejects a callback', () => {
  it('in another browser, without redeeming the code', async () => {
    const isCallback = ({ pathname }: URL) => pathname === '/api/auth/callback/google'
    const callbackUrl = await makeBrowser(app).open('/api/login', isCallback)
    issuer.requests.length = 0
    const otherBrowser = makeBrowser(app)
    await otherBrowser.fetch('/api/login')
    const response = await otherBrowser.fetch(callbackUrl.href)
    expect(response.headers.get('location')).toBe('/login?fault=google-lost')
    expect(issuer.requests).toEqual([])
  })

  it('from another issuer (mix-up)', async () => {
    issuer.service.on('beforeAuthorizeRedirect', ({ url }: { url: URL }) => {
      url.searchParams.set('iss', 'https://evil.example')
    })
    expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
  })

  it('with a code that the issuer rejects', async () => {
    issuer.service.on('beforeResponse', (response: MutableResponse) => {
      Object.assign(response, { statusCode: 400, body: { error: 'invalid_grant' } })
    })
    expect(await signInAndGetPath()).toBe('/login?fault=google-lost')
  })

  it("if the issuer doesn't know this client, and says that the operator must fix it", async () => {
    issuer.service.on('beforeResponse', (response: MutableResponse) => {
      Object.assign(response, { statusCode: 401, body: { error: 'invalid_client' } })
    })
    expect(await signInAndGetPath()).toBe('/login?fault=google-failed')
    const line = app.logLines.findLast(({ fault }) => fault === 'google-failed')
    expect(line).toMatchObject({ level: 40, client: '127.0.0.1' })
  })

  it.each([
    ['access_denied', 'google-denied'],
    ['temporarily_unavailable', 'google-away'],
    ['<script>alert(1)</script>', 'google-refused'],
    ['google-away&next=//evil.example', 'google-refused'],
  ])('with the error %s, without displaying it', async (error, fault) => {
    issuer.service.on('beforeAuthorizeRedirect', ({ url }: { url: URL }) => {
      url.searchParams.delete('code')
      url.searchParams.set('error', error)
      url.searchParams.set('error_description', 'Call 0900 666 and tell your password')
    })
    expect(await signInAndGetPath()).toBe(`/login?fault=${fault}`)
  })
})

it('logs no code, state, token or client secret', async () => {
  const secrets: string[] = []
  issuer.service.on('beforeResponse', ({ body }: MutableResponse) => {
    if (typeof body !== 'string') secrets.push(String(body.id_token), String(body.access_token))
  })
  issuer.service.on('beforeAuthorizeRedirect', ({ url }: { url: URL }) => {
    for (const name of ['code', 'state']) secrets.push(url.searchParams.get(name) ?? '')
  })
  expect(await signInAndGetPath()).toBe('/')
  changeIdToken({ aud: ['another client'] })
  expect(await signInAndGetPath()).toBe('/login?fault=google-refused')
  const logText = JSON.stringify(app.logLines)
  expect(secrets).toHaveLength(8)
  for (const secret of [...secrets, 'the-secret-of-the-client', victim.email]) {
    expect(secret.length).toBeGreaterThan(10)
    expect(logText).not.toContain(secret)
  }
})
