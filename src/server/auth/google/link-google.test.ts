import { eq, inArray, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GoogleApp, isPage, startGoogleApp } from '../../../../tests/support/google-app.ts'
import { makeBrowser, type TestBrowser } from '../../../../tests/support/issuer-browser.ts'
import { json, logIn, makeClient, makePerson, type Person } from '../../../../tests/support/make.ts'
import type { IssuerPerson } from '../../../../tests/support/oidc-issuer.ts'
import { startTestApp } from '../../../../tests/support/test-app.ts'
import { accounts, auditLog, sessions, users } from '../../db/schema.ts'

let google: GoogleApp
beforeAll(async () => {
  google = await startGoogleApp()
})
afterAll(() => google.close())

/** The password that `makePerson` gives to all users. */
const password = 'correct horse'

let count = 0
function makeIdentity(overrides: Partial<IssuerPerson> = {}): IssuerPerson {
  count += 1
  return {
    sub: `subject-${count}`,
    email: `g${count}@example.org`,
    email_verified: true,
    ...overrides,
  }
}

/**
 * Creates a person with a password and a verified email address, and a browser signed in as that
 * person.
 */
async function makeOwner(overrides: Parameters<typeof makePerson>[1] = {}) {
  const person = await makePerson(google.app, overrides)
  const { db } = google.app.deps
  await db.update(users).set({ emailVerified: true }).where(eq(users.email, person.email))
  return { person, browser: await signIn(person) }
}

async function signIn({ email, password }: Pick<Person, 'email' | 'password'>) {
  return makeBrowser(google.app, await logIn(google.app, email, password))
}

/** Starts linking Google. Returns the URL to open next. */
async function startLinking(browser: TestBrowser): Promise<string> {
  const response = await browser.post('/api/auth/user/ways/google', { currentPassword: password })
  expect(response.status).toBe(200)
  return (await json<{ url: string }>(response)).url
}

/** Links a Google account. Returns the path of the final page. */
async function link(browser: TestBrowser, person: IssuerPerson | null): Promise<string> {
  google.issuer.person = person
  browser.clearCookies(google.issuer.url)
  const finalUrl = await browser.open(await startLinking(browser), (url) => isPage(google.app, url))
  return finalUrl.href.slice(google.app.url.length)
}

function unlink(browser: TestBrowser): Promise<Response> {
  return browser.fetch('/api/auth/user/ways/google', { method: 'DELETE' })
}

async function listWays(browser: TestBrowser): Promise<string[]> {
  const signInWays = await json<{ way: string; since: string }[]>(
    await browser.fetch('/api/auth/user/ways'),
  )
  for (const { since } of signInWays) expect(new Date(since).getTime()).toBeGreaterThan(0)
  return signInWays.map(({ way }) => way)
}

describe('a password reset by email', () => {
  it('removes a Google account linked by someone who knew the old password', async () => {
    const { browser, person } = await makeOwner()
    const thief = makeIdentity()
    expect(await link(browser, thief)).toBe('/account?linked=google')
    const visitor = makeClient(google.app)
    await visitor.post('/api/auth/forgot-password', { email: person.email })
    const resetEmail = (await google.app.sendQueuedEmails()).at(-1)
    const token = /token=([\w-]+)/.exec(resetEmail?.content.text ?? '')?.[1]
    const resetForm = { token, newPassword: 'a new password' }
    expect((await visitor.post('/api/auth/reset-password', resetForm)).status).toBe(200)

    const { browser: thiefBrowser } = await google.signIn(thief)
    const accountResponse = await thiefBrowser.fetch('/api/auth/user')
    if (accountResponse.ok)
      expect(await accountResponse.json()).not.toMatchObject({ email: person.email })
    const owner = await signIn({ email: person.email, password: 'a new password' })
    expect(await listWays(owner)).toEqual(['password'])
    const lastEmail = (await google.app.sendQueuedEmails()).at(-1)
    expect(lastEmail?.content.text).toContain('Google was removed from the account')
    const { db } = google.app.deps
    const lines = await db
      .select({ action: auditLog.action })
      .from(auditLog)
      .where(eq(auditLog.subject, person.id))
    expect(lines.map(({ action }) => action)).toContain('unlink-google')
  })
})

describe('linking Google to an account', () => {
  it('works if the email addresses differ, and notifies the owner', async () => {
    const { browser, person } = await makeOwner()
    const identity = makeIdentity()
    expect(await listWays(browser)).toEqual(['password'])
    expect(await link(browser, identity)).toBe('/account?linked=google')
    expect(await listWays(browser)).toEqual(['password', 'google'])
    expect(await google.app.sendQueuedEmails()).toMatchObject([
      {
        to: { address: person.email },
        content: { subject: 'Google was linked to your Mayfly account' },
      },
    ])
    const { browser: secondBrowser, path } = await google.signIn(identity)
    expect(path).toBe('/')
    expect(await json(await secondBrowser.fetch('/api/auth/user'))).toMatchObject({
      email: person.email,
    })
  })

  it('is the only way to link the administrator', async () => {
    const { browser, person } = await makeOwner({ role: 'admin' })
    const identity = makeIdentity({ email: person.email })
    expect((await google.signIn(identity)).path).toBe('/login?fault=google-not-linked')
    expect(await link(browser, identity)).toBe('/account?linked=google')
    const { browser: secondBrowser } = await google.signIn(identity)
    expect(await json(await secondBrowser.fetch('/api/auth/user'))).toMatchObject({ isAdmin: true })
    await google.app.deps.db.update(users).set({ role: 'user' }).where(eq(users.id, person.id))
  })

  it('is idempotent and sends no second email', async () => {
    const { browser } = await makeOwner()
    const identity = makeIdentity()
    await link(browser, identity)
    await google.app.sendQueuedEmails()
    expect(await link(browser, identity)).toBe('/account?linked=google')
    expect(await google.app.sendQueuedEmails()).toEqual([])
    expect(await listWays(browser)).toEqual(['password', 'google'])
  })

  it('keeps the current session', async () => {
    const { browser } = await makeOwner()
    const cookieBefore = browser.cookie().match(/session_token=[^;]+/)?.[0]
    await link(browser, makeIdentity())
    expect(browser.cookie()).toContain(cookieBefore)
    expect((await browser.fetch('/api/auth/user')).status).toBe(200)
  })

  it('rejects a Google account linked to another user', async () => {
    const identity = makeIdentity()
    await google.signIn(identity)
    const { browser } = await makeOwner()
    expect(await link(browser, identity)).toBe('/account?fault=google-taken')
    expect(await listWays(browser)).toEqual(['password'])
  })

  it('rejects a second Google account', async () => {
    const { browser } = await makeOwner()
    await link(browser, makeIdentity())
    expect(await link(browser, makeIdentity())).toBe('/account?fault=google-second')
  })

  it('returns to the account page if the user declines', async () => {
    const { browser } = await makeOwner()
    expect(await link(browser, null)).toBe('/account?fault=google-denied')
  })

  it('requires an email address verified by the account or by Google', async () => {
    const squatter = await makePerson(google.app)
    const browser = await signIn(squatter)
    expect(await link(browser, makeIdentity())).toBe('/account?fault=google-unproven')
    const unverifiedIdentity = makeIdentity({ email: squatter.email, email_verified: 'true' })
    expect(await link(browser, unverifiedIdentity)).toBe('/account?fault=google-unproven')
    expect(await listWays(browser)).toEqual(['password'])

    const owner = makeIdentity({ email: squatter.email })
    expect(await link(browser, owner)).toBe('/account?linked=google')
    const { db } = google.app.deps
    expect(await db.select().from(users).where(eq(users.id, squatter.id))).toMatchObject([
      { emailVerified: true },
    ])
  })

  it("fails after a logout or in another user's session", async () => {
    const { browser, person } = await makeOwner()
    google.issuer.person = makeIdentity()
    const firstCallbackUrl = await browser.open(await startLinking(browser), ({ pathname }) =>
      pathname.includes('callback'),
    )
    await browser.fetch('/api/logout')
    const responseAfterLogout = await browser.fetch(firstCallbackUrl.href)
    expect(responseAfterLogout.headers.get('location')).toBe(
      '/login?fault=google-signed-out&next=%2Faccount',
    )

    const otherOwner = await makeOwner()
    browser.clearCookies(google.issuer.url)
    const cookie = await logIn(google.app, person.email, person.password)
    const firstBrowser = makeBrowser(google.app, cookie)
    const callbackUrl = await firstBrowser.open(await startLinking(firstBrowser), ({ pathname }) =>
      pathname.includes('callback'),
    )
    const requestCookie = firstBrowser.cookie().match(/mayfly\.google=[\w-]+/)?.[0]
    const sessionCookie = otherOwner.browser.cookie().match(/mayfly\.session_token=[^;]+/)?.[0]
    const mixedBrowser = makeBrowser(google.app, `${requestCookie}; ${sessionCookie}`)
    const response = await mixedBrowser.fetch(callbackUrl.href)
    expect(response.headers.get('location')).toBe('/login?fault=google-signed-out&next=%2Faccount')
    expect(await listWays(otherOwner.browser)).toEqual(['password'])
  })

  it('fails if the session is ended concurrently', async () => {
    const { browser, person } = await makeOwner()
    google.issuer.person = makeIdentity()
    const callbackUrl = await browser.open(await startLinking(browser), ({ pathname }) =>
      pathname.includes('callback'),
    )
    const { db } = google.app.deps
    const callbackResult = await db.transaction(async (tx) => {
      await tx.select().from(users).where(eq(users.id, person.id)).for('no key update')
      const callbackPromise = browser.fetch(callbackUrl.href)
      // Wait until the request has read its session and is blocked by the lock on the user's row.
      await expect
        .poll(async () => {
          const { rows } = await db.execute<{ count: number }>(sql`
            select count(*)::int as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`)
          return rows[0]?.count
        })
        .toBe(1)
      await tx.delete(sessions).where(eq(sessions.userId, person.id))
      return { ended: callbackPromise }
    })
    const response = await callbackResult.ended
    expect(response.headers.get('location')).toBe('/login?fault=google-signed-out&next=%2Faccount')
    expect(await listWays(await signIn(person))).toEqual(['password'])
  })

  it.each([undefined, '', 7, 'x'.repeat(200), 'A\ud800'])(
    'requires a password and rejects %j',
    async (currentPassword) => {
      const { browser } = await makeOwner()
      const response = await browser.post('/api/auth/user/ways/google', { currentPassword })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT' })
    },
  )

  it('requires the password in addition to the session', async () => {
    const { browser } = await makeOwner()
    const response = await browser.post('/api/auth/user/ways/google', {
      currentPassword: 'a guess',
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'WRONG_PASSWORD' })
    const { browser: passwordlessBrowser } = await google.signIn(makeIdentity())
    const passwordlessResponse = await passwordlessBrowser.post('/api/auth/user/ways/google', {
      currentPassword: 'x',
    })
    expect(passwordlessResponse.status).toBe(409)
    expect(await passwordlessResponse.json()).toMatchObject({ code: 'NO_PASSWORD' })
  })

  it('requires a session and rejects cross-site requests', async () => {
    const visitorResponse = await makeClient(google.app).post('/api/auth/user/ways/google', {
      currentPassword: password,
    })
    expect(visitorResponse.status).toBe(401)
    const { browser } = await makeOwner()
    const crossSiteHeaders = [
      ['origin', 'https://evil.example'],
      ['sec-fetch-site', 'cross-site'],
    ] as const
    for (const [name, value] of crossSiteHeaders) {
      const response = await browser.fetch('/api/auth/user/ways/google', {
        method: 'POST',
        headers: { [name]: value, 'content-type': 'application/json' },
        body: JSON.stringify({ currentPassword: password }),
      })
      expect(response.status).toBe(403)
    }
  })

  it('is unavailable without an issuer', async () => {
    const app = await startTestApp()
    try {
      const person = await makePerson(app)
      const response = await person.post('/api/auth/user/ways/google', {
        currentPassword: person.password,
      })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' })
    } finally {
      await app.close()
    }
  })
})

it('the audit log records how Google was linked and removed', async () => {
  const { browser, person } = await makeOwner()
  await link(browser, makeIdentity())
  await unlink(browser)
  await google.signIn(makeIdentity({ email: person.email }))
  const squatter = await makePerson(google.app)
  await google.signIn(makeIdentity({ email: squatter.email }))
  const { db } = google.app.deps
  const lines = await db
    .select()
    .from(auditLog)
    .where(inArray(auditLog.subject, [person.id, squatter.id]))
    .orderBy(auditLog.id)
  expect(lines).toMatchObject([
    { action: 'link-google', subject: person.id, details: { by: 'session' } },
    { action: 'unlink-google', subject: person.id },
    { action: 'link-google', subject: person.id, details: { by: 'address' } },
    { action: 'link-google', subject: squatter.id, details: { by: 'taking-over' } },
  ])
  for (const { actor, subject, ipAddress } of lines) {
    expect([actor, ipAddress]).toEqual([subject, '127.0.0.1'])
  }
})

describe('unlinking Google', () => {
  it('ends the other sessions and keeps the password', async () => {
    const { browser, person } = await makeOwner()
    const identity = makeIdentity({
      picture: `${google.issuer.url.replace('http:', 'https:')}/face.png`,
    })
    await link(browser, identity)
    const { browser: googleBrowser } = await google.signIn(identity)
    expect(await json(await googleBrowser.fetch('/api/auth/user'))).toMatchObject({
      profileImageUrl: identity.picture,
    })

    const response = await unlink(browser)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ message: 'Google was removed from your account.' })
    expect(await listWays(browser)).toEqual(['password'])
    expect(await json(await browser.fetch('/api/auth/user'))).toMatchObject({
      profileImageUrl: null,
    })
    expect((await googleBrowser.fetch('/api/auth/user')).status).toBe(401)
    expect((await person.fetch('/api/auth/user')).status).toBe(401)
    expect((await browser.fetch('/api/auth/user')).status).toBe(200)
    await logIn(google.app, person.email, person.password)

    const { browser: newBrowser } = await google.signIn(identity)
    const user = await json<{ email: string }>(await newBrowser.fetch('/api/auth/user'))
    expect(user.email).not.toBe(person.email)
  })

  it('is rejected if Google is the last way to sign in', async () => {
    const { browser } = await google.signIn(makeIdentity())
    const response = await unlink(browser)
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'LAST_WAY_IN' })
    expect(await listWays(browser)).toEqual(['google'])
  })

  it('returns 404 if Google is not linked', async () => {
    const { browser } = await makeOwner()
    const response = await unlink(browser)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      code: 'NOT_FOUND',
      message: 'Google is not linked to this account.',
    })
  })

  it('succeeds once when requested in parallel', async () => {
    const { browser } = await makeOwner()
    await link(browser, makeIdentity())
    const responses = await Promise.all(Array.from({ length: 5 }, () => unlink(browser)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404])
    expect(await listWays(browser)).toEqual(['password'])
  })

  it("affects only the caller's account", async () => {
    const visitorResponse = await makeClient(google.app).fetch('/api/auth/user/ways/google', {
      method: 'DELETE',
    })
    expect(visitorResponse.status).toBe(401)
    const { browser } = await makeOwner()
    await link(browser, makeIdentity())
    const { browser: otherBrowser } = await makeOwner()
    expect((await unlink(otherBrowser)).status).toBe(404)
    expect(await listWays(browser)).toEqual(['password', 'google'])
  })

  it('leaves no session behind when a Google sign-in runs concurrently', async () => {
    const { db } = google.app.deps
    for (let round = 0; round < 5; round += 1) {
      const { browser, person } = await makeOwner()
      const identity = makeIdentity()
      await link(browser, identity)
      google.issuer.person = identity
      const secondBrowser = makeBrowser(google.app)
      const callbackUrl = await secondBrowser.open('/api/login', ({ pathname }) =>
        pathname.includes('callback'),
      )
      await Promise.all([secondBrowser.fetch(callbackUrl.href), unlink(browser)])
      expect(await db.select().from(accounts).where(eq(accounts.userId, person.id))).toMatchObject([
        { providerId: 'credential' },
      ])
      expect(await db.select().from(sessions).where(eq(sessions.userId, person.id))).toHaveLength(1)
    }
  })
})
