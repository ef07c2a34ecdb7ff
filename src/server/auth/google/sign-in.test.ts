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
/** Creates a person at the issuer with a unique verified address. */
function makeIdentity(facts: Partial<IssuerPerson> = {}): IssuerPerson & { email: string } {
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

function accountsOf(userId: string) {
  const { db } = google.app.deps
  return db.select().from(accounts).where(eq(accounts.userId, userId))
}

async function verify(email: string) {
  await google.app.deps.db.update(users).set({ emailVerified: true }).where(eq(users.email, email))
}

describe('an existing account', () => {
  it('is linked and notified if both addresses are verified', async () => {
    const person = await makePerson(google.app)
    await verify(person.email)
    const file = await makeFile(person)
    await google.app.mails()

    const { browser, path } = await google.signIn(
      makeIdentity({ email: person.email.toUpperCase(), given_name: 'Eve' }),
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
      content: { subject: 'Google was linked to your Mayfly account' },
    })
    expect(mail?.content.text).toContain(`Hello Ada, on`)
    expect(mail?.content.text).not.toContain('had signed up with')
  })

  it('is not linked if the issuer has not verified the address', async () => {
    const person = await makePerson(google.app)
    await verify(person.email)
    for (const email_verified of [false, 'true', 'false', 1, undefined, null]) {
      const { path } = await google.signIn(makeIdentity({ email: person.email, email_verified }))
      expect(path).toBe('/login?fault=google-unverified')
    }
    expect(await accountsOf(person.id)).toHaveLength(1)
    expect(await google.app.mails()).toEqual([])
  })

  it('is linked to one Google account only', async () => {
    const person = makeIdentity()
    const { browser } = await google.signIn(person)
    const { id } = await userOf(browser)
    const { path } = await google.signIn(makeIdentity({ email: person.email }))
    expect(path).toBe('/login?fault=google-second')
    expect(await accountsOf(id)).toHaveLength(1)
  })

  it.each(['admin@localhost.localdomain', 'root@example.org'])(
    "is never linked automatically if it is the administrator's (%s)",
    async (email) => {
      await google.app.deps.db.delete(users).where(eq(users.role, 'admin'))
      const untaken = await google.signIn(makeIdentity({ email: 'admin@localhost.localdomain' }))
      expect(untaken.path).toBe('/login?fault=google-not-linked')

      await ensureAdministrator(google.app.deps, async () => 'an admin password')
      await google.app.deps.db.update(users).set({ email }).where(eq(users.role, 'admin'))
      const { browser, path } = await google.signIn(makeIdentity({ email }))
      expect(path).toBe('/login?fault=google-not-linked')
      expect((await browser.fetch('/api/auth/user')).status).toBe(401)
      const [administrator] = await rowOf(email)
      expect(await accountsOf(administrator?.id ?? '')).toHaveLength(1)
    },
  )
})

describe('an account with an unverified address', () => {
  it('is handed over to the owner of the address, and the earlier user is locked out', async () => {
    const squatter = await makePerson(google.app)
    const { email, password } = squatter
    await makeClient(google.app).post('/api/auth/forgot-password', { email })
    const [asked] = await google.app.mails()
    const token = /token=([\w-]+)/.exec(asked?.content.text ?? '')?.[1]
    const { db } = google.app.deps
    await db.update(users).set({ firstName: 'Evil' }).where(eq(users.email, email))

    const { browser, path } = await google.signIn(makeIdentity({ email }))
    expect(path).toBe('/')
    expect(await userOf(browser)).toMatchObject({ email, name: 'Grace Hopper', firstName: 'Grace' })
    expect((await squatter.fetch('/api/auth/user')).status).toBe(401)
    const login = await makeClient(google.app).post('/api/auth/login', { email, password })
    expect(login.status).toBe(401)
    const reset = { token, newPassword: 'a new password' }
    const response = await makeClient(google.app).post('/api/auth/reset-password', reset)
    expect(response.status).toBe(400)
    expect(
      await db.select().from(accountTokens).where(eq(accountTokens.userId, squatter.id)),
    ).toEqual([])
    expect(await accountsOf(squatter.id)).toMatchObject([{ providerId: 'google', password: null }])
    expect((await rowOf(email))[0]).toMatchObject({ emailVerified: true })

    const [mail] = await google.app.mails()
    expect(mail?.to).toEqual({ name: 'Grace', address: email })
    expect(mail?.content.text).toContain('had signed up with')
  })

  it('keeps its files, as both are usually the same person', async () => {
    const person = await makePerson(google.app, { tier: 'premium' })
    const file = await makeFile(person)
    const { browser } = await google.signIn(makeIdentity({ email: person.email }))
    expect(await userOf(browser)).toMatchObject({ id: person.id, tier: 'premium' })
    expect(await json(await browser.fetch('/api/files'))).toMatchObject([{ id: file.id }])
    const bytes = await fetch(`${google.app.url}/api/download/${file.shortCode}`)
    expect(new Uint8Array(await bytes.arrayBuffer())).toEqual(file.bytes)
  })

  it('is not handed over unless the issuer has verified the address', async () => {
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
  ])('is not created with %s', async (_, facts) => {
    const { path } = await google.signIn(makeIdentity(facts))
    expect(path).toBe('/login?fault=google-no-address')
  })

  it.each([
    ['closed', 'person@example.org', '/login?fault=google-no-signup'],
    ['example.com', 'person@example.org', '/login?fault=google-no-signup'],
    ['example.com', 'person@example.com.evil.example', '/login?fault=google-no-signup'],
    ['example.com', 'person@Example.com', '/'],
  ])('with SIGNUP=%s for %s ends at %s; known users can sign in', async (signup, email, end) => {
    const known = makeIdentity()
    await google.signIn(known)
    const { config } = google.app.deps
    const { signup: before } = config
    try {
      config.signup = readConfig({ SIGNUP: signup }).signup
      expect((await google.signIn(makeIdentity({ email }))).path).toBe(end)
      expect(await rowOf(email.toLowerCase())).toHaveLength(end === '/' ? 1 : 0)
      expect((await google.signIn(known)).path).toBe('/')
    } finally {
      config.signup = before
    }
  })

  it('is created again after the user was deleted', async () => {
    const person = makeIdentity()
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

  it('is created once by parallel first sign-ins', async () => {
    const person = makeIdentity()
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
    expect(await accountsOf(people[0]?.id ?? '')).toHaveLength(1)
  })

  it('is created once by a parallel signup and sign-in', async () => {
    const { email, ...person } = makeIdentity()
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
  it('can set a password by email and keeps both ways to sign in', async () => {
    const { browser } = await google.signIn(makeIdentity())
    const { email, id } = await userOf(browser)
    await google.app.mails()
    await makeClient(google.app).post('/api/auth/forgot-password', { email })
    const [mail] = await google.app.mails()
    const token = /token=([\w-]+)/.exec(mail?.content.text ?? '')?.[1]
    const reset = { token, newPassword: 'a new password' }
    expect((await makeClient(google.app).post('/api/auth/reset-password', reset)).status).toBe(200)
    await logIn(google.app, email, 'a new password')
    expect(await accountsOf(id)).toHaveLength(2)
    expect((await google.app.mails()).map(({ content }) => content.subject)).toEqual([
      'Your Mayfly password was changed',
    ])
  })

  it('rejects another signup and every password', async () => {
    const { browser } = await google.signIn(makeIdentity())
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
