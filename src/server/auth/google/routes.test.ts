import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GoogleApp, startGoogleApp } from '../../../../tests/support/google-app.ts'
import { makeBrowser, type TestBrowser } from '../../../../tests/support/issuer-browser.ts'
import { json, logIn, makeClient, makePerson, signUp } from '../../../../tests/support/make.ts'
import type { IssuerPerson } from '../../../../tests/support/oidc-issuer.ts'
import { send } from '../../../../tests/support/send.ts'
import type { User } from '../../../shared/contract/account.ts'
import { rateLimits, sessions, users, verifications } from '../../db/schema.ts'

let google: GoogleApp
beforeAll(async () => {
  google = await startGoogleApp()
})
afterAll(() => google.close())

let count = 0
/** Creates a user at the issuer with a unique, verified email address. */
function makeIdentity(overrides: Partial<IssuerPerson> = {}): IssuerPerson & { email: string } {
  count += 1
  return {
    sub: `subject-${count}`,
    email: `person${count}@example.org`,
    email_verified: true,
    given_name: 'Grace',
    family_name: 'Hopper',
    ...overrides,
  } as IssuerPerson & { email: string }
}

async function fetchUser(browser: TestBrowser): Promise<User> {
  return json<User>(await browser.fetch('/api/auth/user'))
}

function findUser(email: string) {
  const { db } = google.app.deps
  return db.select().from(users).where(eq(users.email, email))
}

function listSessions(userId: string) {
  const { db } = google.app.deps
  return db.select().from(sessions).where(eq(sessions.userId, userId))
}

describe.each([
  ['in the ID token', false],
  ['only in userinfo', true],
])('an issuer that sends the profile %s', (_, conformIdTokenClaims) => {
  let issuerApp: GoogleApp
  beforeAll(async () => {
    issuerApp = await startGoogleApp({ conformIdTokenClaims })
  })
  afterAll(() => issuerApp.close())

  it('creates an account with name and picture, and recognizes it the next time', async () => {
    const pictureUrl = `${issuerApp.issuer.url.replace('http:', 'https:')}/grace.png`
    const person = makeIdentity({ email: 'Grace@Example.org', picture: pictureUrl })
    const { browser, path } = await issuerApp.signIn(person)
    expect(path).toBe('/')
    const user = await fetchUser(browser)
    expect(user).toMatchObject({
      email: 'grace@example.org',
      name: 'Grace Hopper',
      firstName: 'Grace',
      lastName: 'Hopper',
      tier: 'free',
      isAdmin: false,
      profileImageUrl: pictureUrl,
    })
    expect(await issuerApp.app.sendQueuedEmails()).toEqual([])

    const secondSignIn = await issuerApp.signIn({
      ...person,
      email: 'other@example.org',
      picture: undefined,
    })
    expect(secondSignIn.path).toBe('/')
    expect(await fetchUser(secondSignIn.browser)).toEqual(user)
    expect((await browser.fetch('/api/auth/user')).status).toBe(200)
  })

  it('is trusted only if it has verified the email address', async () => {
    const person = makeIdentity({ email_verified: 'true' })
    const { path } = await issuerApp.signIn(person)
    expect(path).toBe('/login?fault=google-unverified')
    expect((await issuerApp.signIn(makeIdentity({ email_verified: undefined }))).path).toBe(
      '/login?fault=google-unverified',
    )
  })
})

describe('the start of a sign-in', () => {
  it('redirects to the issuer with a unique state, nonce and PKCE challenge', async () => {
    const states = new Set<string>()
    for (const browser of [makeBrowser(google.app), makeBrowser(google.app)]) {
      for (const _ of [1, 2]) {
        const response = await browser.fetch('/api/login')
        expect(response.status).toBe(302)
        expect(response.headers.get('cache-control')).toBe('no-store')
        const { origin, pathname, searchParams } = new URL(response.headers.get('location') ?? '')
        expect(`${origin}${pathname}`).toBe(`${google.issuer.url}/auth`)
        expect(Object.fromEntries(searchParams)).toEqual({
          client_id: 'mayfly',
          response_type: 'code',
          scope: 'openid email profile',
          redirect_uri: `${google.app.url}/api/auth/callback/google`,
          state: expect.stringMatching(/^[\w-]{43}$/),
          nonce: expect.stringMatching(/^[\w-]{43}$/),
          code_challenge: expect.stringMatching(/^[\w-]{43}$/),
          code_challenge_method: 'S256',
        })
        for (const name of ['state', 'nonce', 'code_challenge'])
          states.add(searchParams.get(name) ?? '')
      }
    }
    expect(states.size).toBe(12)
  })

  it('sets a short-lived cookie that scripts cannot read', async () => {
    const response = await makeClient(google.app).fetch('/api/login')
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^mayfly\.google=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })

  it('stores nothing in the database that could complete the sign-in', async () => {
    const response = await makeClient(google.app).fetch('/api/login')
    const location = new URL(response.headers.get('location') ?? '')
    const secrets = [
      location.searchParams.get('state'),
      location.searchParams.get('nonce'),
      /google=([\w-]+)/.exec(response.headers.getSetCookie().join())?.[1],
    ]
    const rowsJson = JSON.stringify(await google.app.deps.db.select().from(verifications))
    for (const secret of secrets) {
      expect(secret).toHaveLength(43)
      expect(rowsJson).not.toContain(secret)
    }
  })

  it('uses the __Host- prefix over https', async () => {
    const httpsApp = await startGoogleApp({ env: { APP_URL: 'https://files.example.org' } })
    try {
      const { headers } = await send(
        `http://127.0.0.1:${httpsApp.app.deps.config.port}/api/login`,
        {
          headers: { host: 'files.example.org' },
        },
      )
      expect(headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-mayfly\.google=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
        ),
      ])
      expect(headers.location).toContain(
        encodeURIComponent('https://files.example.org/api/auth/callback/google'),
      )
    } finally {
      await httpsApp.close()
    }
  })

  it("is advertised by /api/auth/ways, and the CSP allows the issuer's pictures", async () => {
    const visitor = makeClient(google.app)
    expect(await json(await visitor.fetch('/api/auth/ways'))).toMatchObject({ google: true })
    const { headers } = await visitor.fetch('/account')
    const issuerOrigin = google.issuer.url.replace('http:', 'https:')
    expect(headers.get('content-security-policy')).toContain(
      `; img-src 'self' data: blob: ${issuerOrigin}; `,
    )
  })
})

describe('the page after a sign-in', () => {
  it('is the requested page', async () => {
    const { path } = await google.signIn(makeIdentity(), { next: '/s/abcDEF2345?a=1' })
    expect(path).toBe('/s/abcDEF2345?a=1')
  })

  it.each(['//evil.example', 'https://evil.example/', '/\\evil.example', '/api/logout'])(
    'is the front page for %s',
    async (next) => {
      expect((await google.signIn(makeIdentity(), { next })).path).toBe('/')
    },
  )

  it('is the login page with the reason and the requested page if the user declines', async () => {
    const { browser, path } = await google.signIn(null, { next: '/s/abcDEF2345' })
    expect(path).toBe('/login?fault=google-denied&next=%2Fs%2FabcDEF2345')
    expect((await browser.fetch('/api/auth/user')).status).toBe(401)
  })
})

describe('the session of a sign-in', () => {
  it('has the usual cookies and records the browser', async () => {
    const person = makeIdentity()
    google.issuer.person = person
    const browser = makeBrowser(google.app)
    const callbackUrl = await browser.open('/api/login', ({ pathname }) =>
      pathname.includes('/callback'),
    )
    const response = await browser.fetch(callbackUrl.href, { headers: { 'user-agent': 'Lynx' } })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^mayfly\.session_token=.+HttpOnly/),
      expect.stringMatching(/^mayfly\.signed_in=(?!.*HttpOnly)/),
    ])
    const [row] = await findUser(person.email)
    expect(await listSessions(row?.id ?? '')).toMatchObject([
      { userAgent: 'Lynx', ipAddress: '127.0.0.1', createdAt: google.app.clock() },
    ])
  })

  it("replaces the browser's previous session, even another user's", async () => {
    const previousUser = await makePerson(google.app)
    const browser = makeBrowser(
      google.app,
      await logIn(google.app, previousUser.email, previousUser.password),
    )
    const thief = makeClient(google.app, browser.cookie())
    expect((await thief.fetch('/api/auth/user')).status).toBe(200)

    const person = makeIdentity()
    await google.signIn(person, { browser })
    expect(await fetchUser(browser)).toMatchObject({ email: person.email })
    expect((await thief.fetch('/api/auth/user')).status).toBe(401)
    // The remaining session is the one that `makePerson` opened in another browser.
    expect(await listSessions(previousUser.id)).toHaveLength(1)
  })
})

it.each(['cross-site', 'same-site'])(
  'a sign-in started by a %s link only opens the login page',
  async (site) => {
    const person = await makePerson(google.app)
    const browser = makeBrowser(google.app, await logIn(google.app, person.email, person.password))
    const headers = { 'sec-fetch-site': site }
    const response = await browser.fetch('/api/login?next=/account', { headers })
    expect(response.headers.get('location')).toBe('/login?next=%2Faccount')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await fetchUser(browser)).toMatchObject({ email: person.email })
  },
)

describe('rate limits', () => {
  it('apply to starts and responses per IP address, and redirect to the login page', async () => {
    const limitedApp = await startGoogleApp({ env: { RATE_LIMITS: 'on' } })
    try {
      const { db } = limitedApp.app.deps
      const open = async (path: string) =>
        (await makeClient(limitedApp.app).fetch(path)).headers.get('location')
      /** Opens the path three times. Before the last two, 299 of 300 requests are used up. */
      const openAtLimit = async (path: string) => {
        const first = await open(path)
        await db.update(rateLimits).set({ points: 299 })
        return [first, await open(path), await open(path)]
      }
      const starts = await openAtLimit('/api/login?next=/s/abc')
      const atIssuer = expect.stringMatching(/^http/)
      expect(starts).toEqual([atIssuer, atIssuer, '/login?fault=google-busy&next=%2Fs%2Fabc'])
      expect(await db.$count(verifications)).toBe(2)

      expect(await openAtLimit('/api/auth/callback/google?state=x&code=y')).toEqual([
        '/login?fault=google-lost',
        '/login?fault=google-lost',
        '/login?fault=google-busy',
      ])

      const { email, password } = await signUp(limitedApp.app)
      await logIn(limitedApp.app, email, password)
    } finally {
      await limitedApp.close()
    }
  })
})
