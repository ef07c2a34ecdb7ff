import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GoogleApp, startGoogleApp } from '../../../../tests/support/google-app.ts'
import { makeBrowser, type TestBrowser } from '../../../../tests/support/issuer-browser.ts'
import { json, logIn, makeClient, makeFile, makePerson } from '../../../../tests/support/make.ts'
import type { IssuerPerson } from '../../../../tests/support/oidc-issuer.ts'
import type { User } from '../../../shared/contract/account.ts'
import { readConfig } from '../../config/config.ts'
import { accounts, accountTokens, users } from '../../db/schema.ts'
import { ensureAdministrator } from '../administrator.ts'

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

function listAccounts(userId: string) {
  const { db } = google.app.deps
  return db.select().from(accounts).where(eq(accounts.userId, userId))
}

async function markVerified(email: string) {
  await google.app.deps.db.update(users).set({ emailVerified: true }).where(eq(users.email, email))
}

describe('an existing account', () => {
  it('is linked and notified if both email addresses are verified', async () => {
    const person = await makePerson(google.app)
    await markVerified(person.email)
    const file = await makeFile(person)
    await google.app.sendQueuedEmails()

    const { browser, path } = await google.signIn(
      makeIdentity({ email: person.email.toUpperCase(), given_name: 'Eve' }),
    )
    expect(path).toBe('/')
    expect(await fetchUser(browser)).toMatchObject({ id: person.id, firstName: 'Ada' })
    expect((await person.fetch('/api/auth/user')).status).toBe(200)
    expect(await json(await browser.fetch('/api/files'))).toMatchObject([{ id: file.id }])
    await logIn(google.app, person.email, person.password)

    const [sentEmail, ...otherEmails] = await google.app.sendQueuedEmails()
    expect(otherEmails).toEqual([])
    expect(sentEmail).toMatchObject({
      to: { name: 'Ada', address: person.email },
      content: { subject: 'Google was linked to your Mayfly account' },
    })
    expect(sentEmail?.content.text).toContain(`Hello Ada, on`)
    expect(sentEmail?.content.text).not.toContain('had signed up with')
  })

  it('is not linked if the issuer has not verified the email address', async () => {
    const person = await makePerson(google.app)
    await markVerified(person.email)
    for (const email_verified of [false, 'true', 'false', 1, undefined, null]) {
      const { path } = await google.signIn(makeIdentity({ email: person.email, email_verified }))
      expect(path).toBe('/login?fault=google-unverified')
    }
    expect(await listAccounts(person.id)).toHaveLength(1)
    expect(await google.app.sendQueuedEmails()).toEqual([])
  })

  it('is linked to one Google account only', async () => {
    const person = makeIdentity()
    const { browser } = await google.signIn(person)
    const { id } = await fetchUser(browser)
    const { path } = await google.signIn(makeIdentity({ email: person.email }))
    expect(path).toBe('/login?fault=google-second')
    expect(await listAccounts(id)).toHaveLength(1)
  })

  it.each(['admin@localhost.localdomain', 'root@example.org'])(
    "is never linked automatically if it is the administrator's (%s)",
    async (email) => {
      await google.app.deps.db.delete(users).where(eq(users.role, 'admin'))
      const signInBeforeAdmin = await google.signIn(
        makeIdentity({ email: 'admin@localhost.localdomain' }),
      )
      expect(signInBeforeAdmin.path).toBe('/login?fault=google-not-linked')

      await ensureAdministrator(google.app.deps, async () => 'an admin password')
      await google.app.deps.db.update(users).set({ email }).where(eq(users.role, 'admin'))
      const { browser, path } = await google.signIn(makeIdentity({ email }))
      expect(path).toBe('/login?fault=google-not-linked')
      expect((await browser.fetch('/api/auth/user')).status).toBe(401)
      const [administrator] = await findUser(email)
      expect(await listAccounts(administrator?.id ?? '')).toHaveLength(1)
    },
  )
})

describe('an account with an unverified email address', () => {
  it('is handed over to the owner of the address, and the earlier user is locked out', async () => {
    const squatter = await makePerson(google.app)
    const { email, password } = squatter
    await makeClient(google.app).post('/api/auth/forgot-password', { email })
    const [resetEmail] = await google.app.sendQueuedEmails()
    const token = /token=([\w-]+)/.exec(resetEmail?.content.text ?? '')?.[1]
    const { db } = google.app.deps
    await db.update(users).set({ firstName: 'Evil' }).where(eq(users.email, email))

    const { browser, path } = await google.signIn(makeIdentity({ email }))
    expect(path).toBe('/')
    expect(await fetchUser(browser)).toMatchObject({
      email,
      name: 'Grace Hopper',
      firstName: 'Grace',
    })
    expect((await squatter.fetch('/api/auth/user')).status).toBe(401)
    const loginResponse = await makeClient(google.app).post('/api/auth/login', { email, password })
    expect(loginResponse.status).toBe(401)
    const resetForm = { token, newPassword: 'a new password' }
    const response = await makeClient(google.app).post('/api/auth/reset-password', resetForm)
    expect(response.status).toBe(400)
    expect(
      await db.select().from(accountTokens).where(eq(accountTokens.userId, squatter.id)),
    ).toEqual([])
    expect(await listAccounts(squatter.id)).toMatchObject([
      { providerId: 'google', password: null },
    ])
    expect((await findUser(email))[0]).toMatchObject({ emailVerified: true })

    const [sentEmail] = await google.app.sendQueuedEmails()
    expect(sentEmail?.to).toEqual({ name: 'Grace', address: email })
    expect(sentEmail?.content.text).toContain('had signed up with')
  })

  it('keeps its files, because both users are usually the same person', async () => {
    const person = await makePerson(google.app, { tier: 'premium' })
    const file = await makeFile(person)
    const { browser } = await google.signIn(makeIdentity({ email: person.email }))
    expect(await fetchUser(browser)).toMatchObject({ id: person.id, tier: 'premium' })
    expect(await json(await browser.fetch('/api/files'))).toMatchObject([{ id: file.id }])
    const downloadResponse = await fetch(`${google.app.url}/api/download/${file.shortCode}`)
    expect(new Uint8Array(await downloadResponse.arrayBuffer())).toEqual(file.bytes)
  })

  it('is not handed over unless the issuer has verified the email address', async () => {
    const person = await makePerson(google.app)
    const { path } = await google.signIn(
      makeIdentity({ email: person.email, email_verified: false }),
    )
    expect(path).toBe('/login?fault=google-unverified')
    expect((await person.fetch('/api/auth/user')).status).toBe(200)
  })
})

describe('a new account', () => {
  it.each([
    ['no address', { email: undefined }],
    ['an empty address', { email: '' }],
    ['an invalid address', { email: 'grace' }],
    ['a Cyrillic letter in the address', { email: 'grаce@example.org' }],
    ['an overlong address', { email: `${'a'.repeat(300)}@example.org` }],
  ])('is not created with %s', async (_, claims) => {
    const { path } = await google.signIn(makeIdentity(claims))
    expect(path).toBe('/login?fault=google-no-address')
  })

  it.each([
    ['closed', 'person@example.org', '/login?fault=google-no-signup'],
    ['example.com', 'person@example.org', '/login?fault=google-no-signup'],
    ['example.com', 'person@example.com.evil.example', '/login?fault=google-no-signup'],
    ['example.com', 'person@Example.com', '/'],
  ])(
    'with SIGNUP=%s and the address %s redirects to %s, while existing users can sign in',
    async (signup, email, location) => {
      const knownIdentity = makeIdentity()
      await google.signIn(knownIdentity)
      const { config } = google.app.deps
      const { signup: originalSignup } = config
      try {
        config.signup = readConfig({ SIGNUP: signup }).signup
        expect((await google.signIn(makeIdentity({ email }))).path).toBe(location)
        expect(await findUser(email.toLowerCase())).toHaveLength(location === '/' ? 1 : 0)
        expect((await google.signIn(knownIdentity)).path).toBe('/')
      } finally {
        config.signup = originalSignup
      }
    },
  )

  it('is created again after the user was deleted', async () => {
    const person = makeIdentity()
    const { browser } = await google.signIn(person)
    const { id } = await fetchUser(browser)
    await google.app.deps.db.delete(users).where(eq(users.id, id))
    expect((await browser.fetch('/api/auth/user')).status).toBe(401)
    await google.signIn(person, { browser })
    expect(await fetchUser(browser)).toMatchObject({
      email: person.email,
      id: expect.not.stringMatching(id),
    })
  })

  it('is created once by parallel first sign-ins', async () => {
    const person = makeIdentity()
    google.issuer.person = person
    const callbacks = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const browser = makeBrowser(google.app)
        const callbackUrl = await browser.open('/api/login', ({ pathname }) =>
          pathname.includes('callback'),
        )
        return { browser, callback: callbackUrl }
      }),
    )
    const responses = await Promise.all(
      callbacks.map(({ browser, callback }) => browser.fetch(callback.href)),
    )
    expect(responses.map(({ headers }) => headers.get('location'))).toEqual(Array(6).fill('/'))
    const signedInUsers = await Promise.all(callbacks.map(({ browser }) => fetchUser(browser)))
    expect(new Set(signedInUsers.map(({ id }) => id)).size).toBe(1)
    expect(await listAccounts(signedInUsers[0]?.id ?? '')).toHaveLength(1)
  })

  it('is created once by a parallel signup and sign-in', async () => {
    const { email, ...person } = makeIdentity()
    google.issuer.person = { email, ...person }
    const browser = makeBrowser(google.app)
    const callbackUrl = await browser.open('/api/login', ({ pathname }) =>
      pathname.includes('callback'),
    )
    const form = { firstName: 'Eve', lastName: 'x', email, password: 'secret1' }
    const [response] = await Promise.all([
      browser.fetch(callbackUrl.href),
      makeClient(google.app).post('/api/auth/signup', { ...form, confirmPassword: 'secret1' }),
    ])
    expect(response.headers.get('location')).toBe('/')
    expect(await findUser(email)).toHaveLength(1)
    const secondSignIn = await google.signIn({ email, ...person })
    expect(await fetchUser(secondSignIn.browser)).toMatchObject({ email })
  })
})

describe('an account created with Google', () => {
  it('can set a password by email and keeps both ways to sign in', async () => {
    const { browser } = await google.signIn(makeIdentity())
    const { email, id } = await fetchUser(browser)
    await google.app.sendQueuedEmails()
    await makeClient(google.app).post('/api/auth/forgot-password', { email })
    const [sentEmail] = await google.app.sendQueuedEmails()
    const token = /token=([\w-]+)/.exec(sentEmail?.content.text ?? '')?.[1]
    const resetForm = { token, newPassword: 'a new password' }
    expect((await makeClient(google.app).post('/api/auth/reset-password', resetForm)).status).toBe(
      200,
    )
    await logIn(google.app, email, 'a new password')
    expect(await listAccounts(id)).toHaveLength(2)
    expect((await google.app.sendQueuedEmails()).map(({ content }) => content.subject)).toEqual([
      'Your Mayfly password was changed',
    ])
  })

  it('rejects another signup and every password', async () => {
    const { browser } = await google.signIn(makeIdentity())
    const { email } = await fetchUser(browser)
    const form = { firstName: 'Eve', lastName: 'x', email, password: 'secret1' }
    const signupResponse = await makeClient(google.app).post('/api/auth/signup', {
      ...form,
      confirmPassword: 'secret1',
    })
    expect(signupResponse.status).toBe(409)
    for (const password of ['secret1', 'null', 'undefined']) {
      const loginResponse = await makeClient(google.app).post('/api/auth/login', {
        email,
        password,
      })
      expect(loginResponse.status).toBe(401)
    }
  })
})
