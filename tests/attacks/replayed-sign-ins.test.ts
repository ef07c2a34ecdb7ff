import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessions, type users, verifications } from '../../src/server/db/schema.ts'
import { type GoogleApp, startGoogleApp } from '../support/google-app.ts'
import { makeBrowser, type TestBrowser } from '../support/issuer-browser.ts'
import { json, logIn, makeClient, makePerson } from '../support/make.ts'

/**
 * The attack: reuse a callback URL, with its state and code, from a history, log or shared screen,
 * or open it in another browser.
 */

let google: GoogleApp
beforeAll(async () => {
  google = await startGoogleApp()
})
afterAll(() => google.close())

const lost = '/login?fault=google-lost'
let count = 0

/** Signs in as a new user up to the callback URL, without opening it. */
async function comeBack(browser = makeBrowser(google.app), start = '/api/login') {
  count += 1
  const email = `person${count}@example.org`
  google.issuer.person = { sub: `subject-${count}`, email, email_verified: true, given_name: 'Ada' }
  browser.forget(google.issuer.url)
  const back = await browser.open(start, isCallback)
  return { browser, back, email }
}

function isCallback({ pathname }: URL): boolean {
  return pathname === '/api/auth/callback/google'
}

/**
 * Opens the callback URL. Returns the redirect's target. A failed sign-in must not change cookies.
 */
async function follow(browser: TestBrowser, back: URL): Promise<string | null> {
  const before = browser.cookie()
  const response = await browser.fetch(back.href)
  const location = response.headers.get('location')
  if (location !== '/') {
    expect(response.headers.getSetCookie()).toEqual([])
    expect(browser.cookie()).toBe(before)
  }
  return location
}

function countOf(table: typeof sessions | typeof users | typeof verifications): Promise<number> {
  return google.app.deps.db.$count(table)
}

describe('a callback URL', () => {
  it('works once', async () => {
    const { browser, back } = await comeBack()
    expect(await follow(browser, back)).toBe('/')
    const had = await countOf(sessions)
    expect(await follow(browser, back)).toBe(lost)
    expect(await countOf(sessions)).toBe(had)
    expect((await browser.fetch('/api/auth/user')).status).toBe(200)
  })

  it('works once, even if opened many times at once', async () => {
    const { browser, back, email } = await comeBack()
    const had = await countOf(sessions)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => makeClient(google.app, browser.cookie()).fetch(back.href)),
    )
    const ends = answers.map(({ headers }) => headers.get('location')).toSorted()
    expect(ends).toEqual(['/', ...Array(5).fill(lost)])
    expect(await countOf(sessions)).toBe(had + 1)
    const winner = answers.find(({ headers }) => headers.get('location') === '/')
    const [cookie = ''] = winner?.headers.getSetCookie() ?? []
    const user = makeClient(google.app, cookie.split(';', 1)[0])
    expect(await json(await user.fetch('/api/auth/user'))).toMatchObject({ email })
  })

  it('works in no other browser, even one with its own sign-in', async () => {
    const { browser, back } = await comeBack()
    expect(await follow(makeBrowser(google.app), back)).toBe(lost)
    // The first attempt uses up the state, so each browser needs its own.
    expect(await follow(browser, back)).toBe(lost)

    const second = await comeBack()
    const other = makeBrowser(google.app)
    await other.fetch('/api/login')
    expect(await follow(other, second.back)).toBe(lost)
  })

  it('neither signs its reader in as the attacker who sent it (login CSRF), nor signs them out', async () => {
    const { back } = await comeBack()
    const person = await makePerson(google.app)
    const victim = makeBrowser(google.app, await logIn(google.app, person.email, person.password))
    expect(await follow(victim, back)).toBe(lost)
    expect(await json(await victim.fetch('/api/auth/user'))).toMatchObject({ id: person.id })
  })

  it("doesn't link the attacker's account to its reader's", async () => {
    const attacker = await makePerson(google.app)
    const his = makeBrowser(google.app, await logIn(google.app, attacker.email, attacker.password))
    const started = await his.post('/api/auth/user/ways/google', {
      currentPassword: attacker.password,
    })
    const { back } = await comeBack(his, (await json<{ url: string }>(started)).url)

    const person = await makePerson(google.app)
    const victim = makeBrowser(google.app, await logIn(google.app, person.email, person.password))
    expect(await follow(victim, back)).toBe(lost)
    expect(await json(await victim.fetch('/api/auth/user/ways'))).toMatchObject([
      { way: 'password' },
    ])
  })

  it('expires after ten minutes', async () => {
    const inTime = await comeBack()
    google.app.clock.advance(10 * 60_000 - 1)
    expect(await follow(inTime.browser, inTime.back)).toBe('/')
    const late = await comeBack()
    google.app.clock.advance(10 * 60_000)
    expect(await follow(late.browser, late.back)).toBe(lost)
  })

  it('may be pending in several tabs', async () => {
    const browser = makeBrowser(google.app)
    const one = await comeBack(browser)
    const other = await comeBack(browser)
    expect(await follow(browser, one.back)).toBe('/')
    expect(await json(await browser.fetch('/api/auth/user'))).toMatchObject({ email: one.email })
    expect(await follow(browser, other.back)).toBe('/')
    expect(await json(await browser.fetch('/api/auth/user'))).toMatchObject({ email: other.email })
  })
})

it('a sign-in returns to the login if the database is unreachable at its start or its end', async () => {
  const { db } = google.app.deps
  const under = await comeBack()
  await db.execute(sql`alter table verifications rename to away`)
  try {
    const failed = '/login?fault=google-failed'
    expect(await follow(under.browser, under.back)).toBe(failed)
    const start = await makeClient(google.app).fetch('/api/login?next=/s/abc')
    expect(start.headers.get('location')).toBe(`${failed}&next=%2Fs%2Fabc`)
    expect(start.headers.getSetCookie()).toEqual([])
  } finally {
    await db.execute(sql`alter table away rename to verifications`)
  }
  expect(await follow(under.browser, under.back)).toBe('/')
})

describe('an authorization code', () => {
  it('that was used already is rejected by the issuer', async () => {
    const first = await comeBack()
    expect(await follow(first.browser, first.back)).toBe('/')
    const second = await comeBack(first.browser)
    second.back.searchParams.set('code', first.back.searchParams.get('code') ?? '')
    expect(await follow(first.browser, second.back)).toBe(lost)
  })

  it('injected into another sign-in is rejected (PKCE)', async () => {
    const victim = await comeBack()
    const attacker = await comeBack()
    attacker.back.searchParams.set('code', victim.back.searchParams.get('code') ?? '')
    expect(await follow(attacker.browser, attacker.back)).toBe(lost)
  })

  it.each(['x', 'x'.repeat(4000)])('that is invalid returns to the login: %#', async (code) => {
    const { browser, back } = await comeBack()
    back.searchParams.set('code', code)
    expect(await follow(browser, back)).toBe(lost)
  })

  it('that is missing or empty returns to the login', async () => {
    const missing = await comeBack()
    missing.back.searchParams.delete('code')
    expect(await follow(missing.browser, missing.back)).toBe('/login?fault=google-refused')
    const empty = await comeBack()
    empty.back.searchParams.set('code', '')
    expect(await follow(empty.browser, empty.back)).toBe('/login?fault=google-refused')
  })

  it('that is repeated returns to the login', async () => {
    const { browser, back } = await comeBack()
    back.searchParams.append('code', 'x')
    expect(await follow(browser, back)).toBe('/login?fault=google-refused')
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
    const back = new URL(`/api/auth/callback/google${query}`, google.app.url)
    expect(await follow(makeBrowser(google.app), back)).toBe(lost)
  })

  it('that is repeated is rejected', async () => {
    const { browser, back } = await comeBack()
    back.searchParams.append('state', back.searchParams.get('state') ?? '')
    expect(await follow(browser, back)).toBe(lost)
  })

  it('with a forged cookie is rejected', async () => {
    for (const cookie of ['mayfly.google=x', `mayfly.google=${'A'.repeat(43)}`, 'mayfly.google=']) {
      const { back } = await comeBack()
      expect(await follow(makeBrowser(google.app, cookie), back)).toBe(lost)
    }
  })

  it('leaves no row behind, whatever the outcome', async () => {
    await google.app.deps.db.delete(verifications)
    const used = await comeBack()
    await follow(used.browser, used.back)
    const foreign = await comeBack()
    await follow(makeBrowser(google.app), foreign.back)
    google.issuer.person = null
    const denied = makeBrowser(google.app)
    await follow(denied, await denied.open('/api/login', isCallback))
    expect(await countOf(verifications)).toBe(0)
  })
})
