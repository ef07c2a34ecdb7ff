import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GoogleApp, startGoogleApp } from '../../../../tests/support/google-app.ts'
import { makeBrowser, type TestBrowser } from '../../../../tests/support/issuer-browser.ts'
import {
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  signUp,
} from '../../../../tests/support/make.ts'
import type { IssuerPerson } from '../../../../tests/support/oidc-issuer.ts'
import { send } from '../../../../tests/support/send.ts'
import type { User } from '../../../shared/contract/account.ts'
import { readConfig } from '../../config.ts'
import { accounts, accountTokens, sessions, users, verifications } from '../../db/schema.ts'
import { ensureAdministrator } from '../administrator.ts'

let google: GoogleApp
beforeAll(async () => {
  google = await startGoogleApp()
})
afterAll(() => google.close())

let count = 0
/**
 * Makes a person with an account at the issuer, and with a verified address that nobody else has.
 */
function somebody(facts: Partial<IssuerPerson> = {}): IssuerPerson & { email: string } {
  count += 1
  return {
    sub: `subject-${count}`,
    email: `person${count}@example.org`,
    email_verified: true,
    given_name: 'Grace',
    family_name: 'Hopper',
    ...facts,
  } as IssuerPerson & { email: string }
}

async function userOf(browser: TestBrowser): Promise<User> {
  return json<User>(await browser.fetch('/api/auth/user'))
}

function rowOf(email: string) {
  const { db } = google.app.deps
  return db.select().from(users).where(eq(users.email, email))
}

function waysOf(userId: string) {
  const { db } = google.app.deps
  return db.select().from(accounts).where(eq(accounts.userId, userId))
}

function sessionsOf(userId: string) {
  const { db } = google.app.deps
  return db.select().from(sessions).where(eq(sessions.userId, userId))
}

async function verify(email: string) {
  await google.app.deps.db.update(users).set({ emailVerified: true }).where(eq(users.email, email))
}

describe.each([
  ['in the ID token', false],
  ['by userinfo alone', true],
])('an issuer that tells who somebody is %s', (_, conformIdTokenClaims) => {
  let own: GoogleApp
  beforeAll(async () => {
    own = await startGoogleApp({ conformIdTokenClaims })
  })
  afterAll(() => own.close())

  it('makes an account with names and picture, and finds it the next time', async () => {
    const picture = `${own.issuer.url.replace('http:', 'https:')}/grace.png`
    const person = somebody({ email: 'Grace@Example.org', picture })
    const { browser, path } = await own.signIn(person)
    expect(path).toBe('/')
    const user = await userOf(browser)
    expect(user).toMatchObject({
      email: 'grace@example.org',
      name: 'Grace Hopper',
      firstName: 'Grace',
      lastName: 'Hopper',
      tier: 'free',
      isAdmin: false,
      profileImageUrl: picture,
    })
    expect(await own.app.mails()).toEqual([])

    const again = await own.signIn({ ...person, email: 'other@example.org', picture: undefined })
    expect(again.path).toBe('/')
    expect(await userOf(again.browser)).toEqual(user)
    expect((await browser.fetch('/api/auth/user')).status).toBe(200)
  })

  it('is not believed where it does not vouch for the address', async () => {
    const person = somebody({ email_verified: 'true' })
    const { path } = await own.signIn(person)
    expect(path).toBe('/login?fault=google-unverified')
    expect((await own.signIn(somebody({ email_verified: undefined }))).path).toBe(
      '/login?fault=google-unverified',
    )
  })
})

describe('the start of a sign-in', () => {
  it('leads to the issuer with state, nonce and PKCE, of which none comes twice', async () => {
    const seen = new Set<string>()
    for (const browser of [makeBrowser(google.app), makeBrowser(google.app)]) {
      for (const _ of [1, 2]) {
        const answer = await browser.fetch('/api/login')
        expect(answer.status).toBe(302)
        expect(answer.headers.get('cache-control')).toBe('no-store')
        const { origin, pathname, searchParams } = new URL(answer.headers.get('location') ?? '')
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
          seen.add(searchParams.get(name) ?? '')
      }
    }
    expect(seen.size).toBe(12)
  })

  it('sets a cookie that scripts cannot read and that is over soon', async () => {
    const answer = await makeClient(google.app).fetch('/api/login')
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^mayfly\.google=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })

  it('keeps in the database nothing with which somebody else could end it', async () => {
    const answer = await makeClient(google.app).fetch('/api/login')
    const location = new URL(answer.headers.get('location') ?? '')
    const secrets = [
      location.searchParams.get('state'),
      location.searchParams.get('nonce'),
      /google=([\w-]+)/.exec(answer.headers.getSetCookie().join())?.[1],
    ]
    const rows = JSON.stringify(await google.app.deps.db.select().from(verifications))
    for (const secret of secrets) {
      expect(secret).toHaveLength(43)
      expect(rows).not.toContain(secret)
    }
  })

  it('uses the __Host- prefix where the public address is https', async () => {
    const own = await startGoogleApp({ env: { APP_URL: 'https://files.example.org' } })
    try {
      const { headers } = await send(`http://127.0.0.1:${own.app.deps.config.port}/api/login`, {
        headers: { host: 'files.example.org' },
      })
      expect(headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-mayfly\.google=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
        ),
      ])
      expect(headers.location).toContain(
        encodeURIComponent('https://files.example.org/api/auth/callback/google'),
      )
    } finally {
      await own.close()
    }
  })

  it('tells the pages that it is there, and lets them show pictures of the issuer alone', async () => {
    const visitor = makeClient(google.app)
    expect(await json(await visitor.fetch('/api/auth/ways'))).toMatchObject({ google: true })
    const { headers } = await visitor.fetch('/')
    const https = google.issuer.url.replace('http:', 'https:')
    expect(headers.get('content-security-policy')).toContain(
      `; img-src 'self' data: blob: ${https}; `,
    )
  })
})

describe('the page after a sign-in', () => {
  it('is the one that was wanted', async () => {
    const { path } = await google.signIn(somebody(), { next: '/s/abcDEF2345?a=1' })
    expect(path).toBe('/s/abcDEF2345?a=1')
  })

  it.each(['//evil.example', 'https://evil.example/', '/\\evil.example', '/api/logout'])(
    'is the front page for %s',
    async (next) => {
      expect((await google.signIn(somebody(), { next })).path).toBe('/')
    },
  )

  it('is the login with the reason, and keeps what was wanted, where somebody says no', async () => {
    const { browser, path } = await google.signIn(null, { next: '/s/abcDEF2345' })
    expect(path).toBe('/login?fault=google-denied&next=%2Fs%2FabcDEF2345')
    expect((await browser.fetch('/api/auth/user')).status).toBe(401)
  })
})

describe('the session of a sign-in', () => {
  it('has the cookies of any other and records the browser', async () => {
    const person = somebody()
    google.issuer.person = person
    const browser = makeBrowser(google.app)
    const callback = await browser.open('/api/login', ({ pathname }) =>
      pathname.includes('/callback'),
    )
    const answer = await browser.fetch(callback.href, { headers: { 'user-agent': 'Lynx' } })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^mayfly\.session_token=.+HttpOnly/),
      expect.stringMatching(/^mayfly\.signed_in=(?!.*HttpOnly)/),
    ])
    const [row] = await rowOf(person.email)
    expect(await sessionsOf(row?.id ?? '')).toMatchObject([
      { userAgent: 'Lynx', ipAddress: '127.0.0.1', createdAt: google.app.clock() },
    ])
  })

  it('replaces the one that the browser had, whoever it was', async () => {
    const before = await makePerson(google.app)
    const browser = makeBrowser(google.app, await logIn(google.app, before.email, before.password))
    const stolen = makeClient(google.app, browser.cookie())
    expect((await stolen.fetch('/api/auth/user')).status).toBe(200)

    const person = somebody()
    await google.signIn(person, { browser })
    expect(await userOf(browser)).toMatchObject({ email: person.email })
    expect((await stolen.fetch('/api/auth/user')).status).toBe(401)
    expect(await sessionsOf(before.id)).toHaveLength(1) // the one that `makePerson` opened, as in another browser
  })
})

describe('an address that has an account', () => {
  it('is linked where both are verified, and a letter says so', async () => {
    const person = await makePerson(google.app)
    await verify(person.email)
    const file = await makeFile(person)
    await google.app.mails()

    const { browser, path } = await google.signIn(
      somebody({ email: person.email.toUpperCase(), given_name: 'Eve' }),
    )
    expect(path).toBe('/')
    expect(await userOf(browser)).toMatchObject({ id: person.id, firstName: 'Ada' })
    expect((await person.fetch('/api/auth/user')).status).toBe(200)
    expect(await json(await browser.fetch('/api/files'))).toMatchObject([{ id: file.id }])
    await logIn(google.app, person.email, person.password)

    const [mail, ...others] = await google.app.mails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      to: { name: 'Ada', address: person.email },
      letter: { subject: 'Google was linked to your Mayfly account' },
    })
    expect(mail?.letter.text).toContain(`Hello Ada, since`)
    expect(mail?.letter.text).not.toContain('had been registered here before')
  })

  it('is not linked where the issuer does not vouch for it', async () => {
    const person = await makePerson(google.app)
    await verify(person.email)
    for (const email_verified of [false, 'true', 'false', 1, undefined, null]) {
      const { path } = await google.signIn(somebody({ email: person.email, email_verified }))
      expect(path).toBe('/login?fault=google-unverified')
    }
    expect(await waysOf(person.id)).toHaveLength(1)
    expect(await google.app.mails()).toEqual([])
  })

  it('is linked with one Google account and no second', async () => {
    const person = somebody()
    const { browser } = await google.signIn(person)
    const { id } = await userOf(browser)
    const { path } = await google.signIn(somebody({ email: person.email }))
    expect(path).toBe('/login?fault=google-second')
    expect(await waysOf(id)).toHaveLength(1)
  })

  it.each(['admin@localhost.localdomain', 'root@example.org'])(
    'is never linked by itself where it is that of the administrator (%s)',
    async (email) => {
      await google.app.deps.db.delete(users).where(eq(users.role, 'admin'))
      const untaken = await google.signIn(somebody({ email: 'admin@localhost.localdomain' }))
      expect(untaken.path).toBe('/login?fault=google-not-linked')

      await ensureAdministrator(google.app.deps, async () => 'an admin password')
      await google.app.deps.db.update(users).set({ email }).where(eq(users.role, 'admin'))
      const { browser, path } = await google.signIn(somebody({ email }))
      expect(path).toBe('/login?fault=google-not-linked')
      expect((await browser.fetch('/api/auth/user')).status).toBe(401)
      const [administrator] = await rowOf(email)
      expect(await waysOf(administrator?.id ?? '')).toHaveLength(1)
    },
  )
})

describe('whoever registered an address without showing that it is his', () => {
  it('gives way to its owner: nothing that he has opens the account any more', async () => {
    const squatter = await makePerson(google.app)
    const { email, password } = squatter
    await makeClient(google.app).post('/api/auth/forgot-password', { email })
    const [letter] = await google.app.mails()
    const token = /token=([\w-]+)/.exec(letter?.letter.text ?? '')?.[1]
    const { db } = google.app.deps
    await db.update(users).set({ firstName: 'Evil' }).where(eq(users.email, email))

    const { browser, path } = await google.signIn(somebody({ email }))
    expect(path).toBe('/')
    expect(await userOf(browser)).toMatchObject({ email, name: 'Grace Hopper', firstName: 'Grace' })
    expect((await squatter.fetch('/api/auth/user')).status).toBe(401)
    const login = await makeClient(google.app).post('/api/auth/login', { email, password })
    expect(login.status).toBe(401)
    const reset = { token, newPassword: 'a new password' }
    const answer = await makeClient(google.app).post('/api/auth/reset-password', reset)
    expect(answer.status).toBe(400)
    expect(
      await db.select().from(accountTokens).where(eq(accountTokens.userId, squatter.id)),
    ).toEqual([])
    expect(await waysOf(squatter.id)).toMatchObject([{ providerId: 'google', password: null }])
    expect((await rowOf(email))[0]).toMatchObject({ emailVerified: true })

    const [mail] = await google.app.mails()
    expect(mail?.to).toEqual({ name: 'Grace', address: email })
    expect(mail?.letter.text).toContain('had been registered here before')
  })

  it('keeps the files in the account: mostly it is the same person', async () => {
    const person = await makePerson(google.app, { tier: 'premium' })
    const file = await makeFile(person)
    const { browser } = await google.signIn(somebody({ email: person.email }))
    expect(await userOf(browser)).toMatchObject({ id: person.id, tier: 'premium' })
    expect(await json(await browser.fetch('/api/files'))).toMatchObject([{ id: file.id }])
    const bytes = await fetch(`${google.app.url}/api/download/${file.shortCode}`)
    expect(new Uint8Array(await bytes.arrayBuffer())).toEqual(file.bytes)
  })

  it('gives way to nobody for whom the issuer does not vouch', async () => {
    const person = await makePerson(google.app)
    const { path } = await google.signIn(somebody({ email: person.email, email_verified: false }))
    expect(path).toBe('/login?fault=google-unverified')
    expect((await person.fetch('/api/auth/user')).status).toBe(200)
  })
})

describe('no account yet', () => {
  it.each([
    ['no address', { email: undefined }],
    ['an empty address', { email: '' }],
    ['an address that is none', { email: 'grace' }],
    ['an address of another alphabet', { email: 'grаce@example.org' }],
    ['an endless address', { email: `${'a'.repeat(300)}@example.org` }],
  ])('is made with %s', async (_, facts) => {
    const { path } = await google.signIn(somebody(facts))
    expect(path).toBe('/login?fault=google-no-address')
  })

  it.each([
    ['closed', 'person@example.org', '/login?fault=google-no-signup'],
    ['example.com', 'person@example.org', '/login?fault=google-no-signup'],
    ['example.com', 'person@example.com.evil.example', '/login?fault=google-no-signup'],
    ['example.com', 'person@Example.com', '/'],
  ])('with SIGNUP=%s for %s ends at %s; who has an account gets in', async (signup, email, end) => {
    const known = somebody()
    await google.signIn(known)
    const { config } = google.app.deps
    const { signup: before } = config
    try {
      config.signup = readConfig({ SIGNUP: signup }).signup
      expect((await google.signIn(somebody({ email }))).path).toBe(end)
      expect(await rowOf(email.toLowerCase())).toHaveLength(end === '/' ? 1 : 0)
      expect((await google.signIn(known)).path).toBe('/')
    } finally {
      config.signup = before
    }
  })

  it('is one again for whoever was deleted meanwhile', async () => {
    const person = somebody()
    const { browser } = await google.signIn(person)
    const { id } = await userOf(browser)
    await google.app.deps.db.delete(users).where(eq(users.id, id))
    expect((await browser.fetch('/api/auth/user')).status).toBe(401)
    await google.signIn(person, { browser })
    expect(await userOf(browser)).toMatchObject({
      email: person.email,
      id: expect.not.stringMatching(id),
    })
  })

  it('is one account, however often somebody signs in for the first time at once', async () => {
    const person = somebody()
    google.issuer.person = person
    const callbacks = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const browser = makeBrowser(google.app)
        const callback = await browser.open('/api/login', ({ pathname }) =>
          pathname.includes('callback'),
        )
        return { browser, callback }
      }),
    )
    const ends = await Promise.all(
      callbacks.map(({ browser, callback }) => browser.fetch(callback.href)),
    )
    expect(ends.map(({ headers }) => headers.get('location'))).toEqual(Array(6).fill('/'))
    const people = await Promise.all(callbacks.map(({ browser }) => userOf(browser)))
    expect(new Set(people.map(({ id }) => id)).size).toBe(1)
    expect(await waysOf(people[0]?.id ?? '')).toHaveLength(1)
  })

  it('is one account for a signup with a password and a sign-in at the same time', async () => {
    const { email, ...person } = somebody()
    google.issuer.person = { email, ...person }
    const browser = makeBrowser(google.app)
    const callback = await browser.open('/api/login', ({ pathname }) =>
      pathname.includes('callback'),
    )
    const form = { firstName: 'Eve', lastName: 'x', email, password: 'secret1' }
    const [ended] = await Promise.all([
      browser.fetch(callback.href),
      makeClient(google.app).post('/api/auth/signup', { ...form, confirmPassword: 'secret1' }),
    ])
    expect(ended.headers.get('location')).toBe('/')
    expect(await rowOf(email)).toHaveLength(1)
    const again = await google.signIn({ email, ...person })
    expect(await userOf(again.browser)).toMatchObject({ email })
  })
})

describe('an account made with Google', () => {
  it('can set a password by a letter, and then has two ways in', async () => {
    const { browser } = await google.signIn(somebody())
    const { email, id } = await userOf(browser)
    await google.app.mails()
    await makeClient(google.app).post('/api/auth/forgot-password', { email })
    const [letter] = await google.app.mails()
    const token = /token=([\w-]+)/.exec(letter?.letter.text ?? '')?.[1]
    const reset = { token, newPassword: 'a new password' }
    expect((await makeClient(google.app).post('/api/auth/reset-password', reset)).status).toBe(200)
    await logIn(google.app, email, 'a new password')
    expect(await waysOf(id)).toHaveLength(2)
    expect((await google.app.mails()).map(({ letter }) => letter.subject)).toEqual([
      'Your Mayfly password was changed',
    ])
  })

  it('cannot be signed up for again, nor opened with any password', async () => {
    const { browser } = await google.signIn(somebody())
    const { email } = await userOf(browser)
    const form = { firstName: 'Eve', lastName: 'x', email, password: 'secret1' }
    const signup = await makeClient(google.app).post('/api/auth/signup', {
      ...form,
      confirmPassword: 'secret1',
    })
    expect(signup.status).toBe(409)
    for (const password of ['secret1', 'null', 'undefined']) {
      const login = await makeClient(google.app).post('/api/auth/login', { email, password })
      expect(login.status).toBe(401)
    }
  })
})

describe('limits', () => {
  it('hold for starts and answers of one address, and end at the login page', async () => {
    const own = await startGoogleApp({ env: { RATE_LIMITS: 'on' } })
    try {
      const starts = await Promise.all(
        Array.from({ length: 310 }, () => makeClient(own.app).fetch('/api/login?next=/s/abc')),
      )
      const refused = starts.filter(({ headers }) => headers.get('location')?.startsWith('/login'))
      expect(refused).toHaveLength(10)
      expect(refused[0]?.headers.get('location')).toBe('/login?fault=google-busy&next=%2Fs%2Fabc')
      expect(await own.app.deps.db.$count(verifications)).toBe(300)

      const answers = await Promise.all(
        Array.from({ length: 310 }, () =>
          makeClient(own.app).fetch('/api/auth/callback/google?state=x&code=y'),
        ),
      )
      const ends = answers.map(({ headers }) => headers.get('location'))
      expect(ends.filter((end) => end === '/login?fault=google-lost')).toHaveLength(300)
      expect(ends.filter((end) => end === '/login?fault=google-busy')).toHaveLength(10)

      const { email, password } = await signUp(own.app)
      await logIn(own.app, email, password)
    } finally {
      await own.close()
    }
  })
})
