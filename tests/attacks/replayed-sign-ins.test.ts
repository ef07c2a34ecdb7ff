import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessions, type users, verifications } from '../../src/server/db/schema.ts'
import { type GoogleApp, startGoogleApp } from '../support/google-app.ts'
import { makeBrowser, type TestBrowser } from '../support/issuer-browser.ts'
import { json, logIn, makeClient, makePerson } from '../support/make.ts'

/**
 * The attack: reuse a callback URL, including its state and code, that was found in a browser
 * history, in a log or on a shared screen, or open it in another browser.
 */

let google: GoogleApp
beforeAll(async () => {
  google = await startGoogleApp()
})
afterAll(() => google.close())

const failedSignInPath = '/login?fault=google-lost'
let personCount = 0

/** Signs in as a new user, but stops before opening the callback URL. */
async function signInToCallback(browser = makeBrowser(google.app), start = '/api/login') {
  personCount += 1
  const email = `person${personCount}@example.org`
  google.issuer.person = {
    sub: `subject-${personCount}`,
    email,
    email_verified: true,
    given_name: 'Ada',
  }
  browser.clearCookies(google.issuer.url)
  const callbackUrl = await browser.open(start, isCallback)
  return { browser, back: callbackUrl, email }
}

function isCallback({ pathname }: URL): boolean {
  return pathname === '/api/auth/callback/google'
}

/**
 * Opens the callback URL and returns the redirect's target. Asserts that a failed sign-in changes
 * no cookies.
 */
async function openCallback(browser: TestBrowser, callbackUrl: URL): Promise<string | null> {
  const cookieBefore = browser.cookie()
  const response = await browser.fetch(callbackUrl.href)
  const location = response.headers.get('location')
  if (location !== '/') {
    expect(response.headers.getSetCookie()).toEqual([])
    expect(browser.cookie()).toBe(cookieBefore)
  }
  return location
}

function countRows(table: typeof sessions | typeof users | typeof verifications): Promise<number> {
  return google.app.deps.db.$count(table)
}

describe('a callback URL', () => {
  it('works once', async () => {
    const { browser, back } = await signInToCallback()
    expect(await openCallback(browser, back)).toBe('/')
    const sessionCountBefore = await countRows(sessions)
    expect(await openCallback(browser, back)).toBe(failedSignInPath)
    expect(await countRows(sessions)).toBe(sessionCountBefore)
    expect((await browser.fetch('/api/auth/user')).status).toBe(200)
  })

  it('works once, even if opened concurrently', async () => {
    const { browser, back, email } = await signInToCallback()
    const sessionCountBefore = await countRows(sessions)
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => makeClient(google.app, browser.cookie()).fetch(back.href)),
    )
    const locations = responses.map(({ headers }) => headers.get('location')).toSorted()
    expect(locations).toEqual(['/', ...Array(5).fill(failedSignInPath)])
    expect(await countRows(sessions)).toBe(sessionCountBefore + 1)
    const successResponse = responses.find(({ headers }) => headers.get('location') === '/')
    const [cookie = ''] = successResponse?.headers.getSetCookie() ?? []
    const client = makeClient(google.app, cookie.split(';', 1)[0])
    expect(await json(await client.fetch('/api/auth/user'))).toMatchObject({ email })
  })

  it('works in no other browser, even one with its own sign-in', async () => {
    const { browser, back } = await signInToCallback()
    expect(await openCallback(makeBrowser(google.app), back)).toBe(failedSignInPath)
    // The first attempt uses up the state, so each browser needs a new one.
    expect(await openCallback(browser, back)).toBe(failedSignInPath)

    const otherSignIn = await signInToCallback()
    const otherBrowser = makeBrowser(google.app)
    await otherBrowser.fetch('/api/login')
    expect(await openCallback(otherBrowser, otherSignIn.back)).toBe(failedSignInPath)
  })

  it('neither signs a victim in as the attacker (login CSRF), nor signs the victim out', async () => {
    const { back } = await signInToCallback()
    const person = await makePerson(google.app)
    const victimBrowser = makeBrowser(
      google.app,
      await logIn(google.app, person.email, person.password),
    )
    expect(await openCallback(victimBrowser, back)).toBe(failedSignInPath)
    expect(await json(await victimBrowser.fetch('/api/auth/user'))).toMatchObject({ id: person.id })
  })

  it("doesn't link the attacker's Google account to the victim's account", async () => {
    const attacker = await makePerson(google.app)
    const attackerBrowser = makeBrowser(
      google.app,
      await logIn(google.app, attacker.email, attacker.password),
    )
    const startResponse = await attackerBrowser.post('/api/auth/user/ways/google', {
      currentPassword: attacker.password,
    })
    const { back } = await signInToCallback(
      attackerBrowser,
      (await json<{ url: string }>(startResponse)).url,
    )

    const person = await makePerson(google.app)
    const victimBrowser = makeBrowser(
      google.app,
      await logIn(google.app, person.email, person.password),
    )
    expect(await openCallback(victimBrowser, back)).toBe(failedSignInPath)
    expect(await json(await victimBrowser.fetch('/api/auth/user/ways'))).toMatchObject([
      { way: 'password' },
    ])
  })

  it('expires after ten minutes', async () => {
    const timelySignIn = await signInToCallback()
    google.app.clock.advance(10 * 60_000 - 1)
    expect(await openCallback(timelySignIn.browser, timelySignIn.back)).toBe('/')
    const lateSignIn = await signInToCallback()
    google.app.clock.advance(10 * 60_000)
    expect(await openCallback(lateSignIn.browser, lateSignIn.back)).toBe(failedSignInPath)
  })

  it('may be pending in several tabs', async () => {
    const browser = makeBrowser(google.app)
    const firstTabSignIn = await signInToCallback(browser)
    const secondTabSignIn = await signInToCallback(browser)
    expect(await openCallback(browser, firstTabSignIn.back)).toBe('/')
    expect(await json(await browser.fetch('/api/auth/user'))).toMatchObject({
      email: firstTabSignIn.email,
    })
    expect(await openCallback(browser, secondTabSignIn.back)).toBe('/')
    expect(await json(await browser.fetch('/api/auth/user'))).toMatchObject({
      email: secondTabSignIn.email,
    })
  })
})

it('a sign-in returns to the login if the database is unreachable at the start or the end', async () => {
  const { db } = google.app.deps
  const pendingSignIn = await signInToCallback()
  await db.execute(sql`alter table verifications rename to away`)
  try {
    const serverFailurePath = '/login?fault=google-failed'
    expect(await openCallback(pendingSignIn.browser, pendingSignIn.back)).toBe(serverFailurePath)
    const startResponse = await makeClient(google.app).fetch('/api/login?next=/s/abc')
    expect(startResponse.headers.get('location')).toBe(`${serverFailurePath}&next=%2Fs%2Fabc`)
    expect(startResponse.headers.getSetCookie()).toEqual([])
  } finally {
    await db.execute(sql`alter table away rename to verifications`)
  }
  expect(await openCallback(pendingSignIn.browser, pendingSignIn.back)).toBe('/')
})

describe('an authorization code', () => {
  it('that was already used is rejected by the issuer', async () => {
    const firstSignIn = await signInToCallback()
    expect(await openCallback(firstSignIn.browser, firstSignIn.back)).toBe('/')
    const secondSignIn = await signInToCallback(firstSignIn.browser)
    secondSignIn.back.searchParams.set('code', firstSignIn.back.searchParams.get('code') ?? '')
    expect(await openCallback(firstSignIn.browser, secondSignIn.back)).toBe(failedSignInPath)
  })

  it('injected into another sign-in is rejected (PKCE)', async () => {
    const victimSignIn = await signInToCallback()
    const attacker = await signInToCallback()
    attacker.back.searchParams.set('code', victimSignIn.back.searchParams.get('code') ?? '')
    expect(await openCallback(attacker.browser, attacker.back)).toBe(failedSignInPath)
  })

  it.each(['x', 'x'.repeat(4000)])('that is invalid returns to the login: %#', async (code) => {
    const { browser, back } = await signInToCallback()
    back.searchParams.set('code', code)
    expect(await openCallback(browser, back)).toBe(failedSignInPath)
  })

  it('that is missing or empty returns to the login', async () => {
    const signInWithoutCode = await signInToCallback()
    signInWithoutCode.back.searchParams.delete('code')
    expect(await openCallback(signInWithoutCode.browser, signInWithoutCode.back)).toBe(
      '/login?fault=google-refused',
    )
    const signInWithEmptyState = await signInToCallback()
    signInWithEmptyState.back.searchParams.set('code', '')
    expect(await openCallback(signInWithEmptyState.browser, signInWithEmptyState.back)).toBe(
      '/login?fault=google-refused',
    )
  })

  it('that is repeated returns to the login', async () => {
    const { browser, back } = await signInToCallback()
    back.searchParams.append('code', 'x')
    expect(await openCallback(browser, back)).toBe('/login?fault=google-refused')
  })
})

describe('a state', () => {
  it.each([
    '',
    '?code=x',
    '?state=&code=x',
    '?state=x&code=x',
    `?state=${'x'.repeat(8000)}`,
    '?state=%00&code=x',
    '?state[]=x&code=x',
    "?state=' or 1=1 --&code=x",
    '?error=access_denied',
    '?error=access_denied&state=x&next=//evil.example',
  ])('that is invalid returns to the login: %#', async (query) => {
    const callbackUrl = new URL(`/api/auth/callback/google${query}`, google.app.url)
    expect(await openCallback(makeBrowser(google.app), callbackUrl)).toBe(failedSignInPath)
  })

  it('that is repeated is rejected', async () => {
    const { browser, back } = await signInToCallback()
    back.searchParams.append('state', back.searchParams.get('state') ?? '')
    expect(await openCallback(browser, back)).toBe(failedSignInPath)
  })

  it('with a forged cookie is rejected', async () => {
    for (const cookie of ['mayfly.google=x', `mayfly.google=${'A'.repeat(43)}`, 'mayfly.google=']) {
      const { back } = await signInToCallback()
      expect(await openCallback(makeBrowser(google.app, cookie), back)).toBe(failedSignInPath)
    }
  })

  it('leaves no row behind, whatever the outcome', async () => {
    await google.app.deps.db.delete(verifications)
    const usedSignIn = await signInToCallback()
    await openCallback(usedSignIn.browser, usedSignIn.back)
    const foreignSignIn = await signInToCallback()
    await openCallback(makeBrowser(google.app), foreignSignIn.back)
    google.issuer.person = null
    const deniedBrowser = makeBrowser(google.app)
    await openCallback(deniedBrowser, await deniedBrowser.open('/api/login', isCallback))
    expect(await countRows(verifications)).toBe(0)
  })
})
