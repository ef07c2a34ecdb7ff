import { eq } from 'drizzle-orm'
import { type Context, Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { accounts } from '../db/schema.ts'
import type { HttpEnv } from '../http/env.ts'
import {
  accountName,
  findKnownBrowser,
  knownBrowserValue,
  setKnownBrowser,
} from './known-browser.ts'

const yearMs = 365 * 86_400_000

let app: TestApp
let person: Person
let other: Person
beforeAll(async () => {
  app = await startTestApp()
  person = await makePerson(app)
  other = await makePerson(app)
})
afterAll(() => app.close())

/**
 * Handles a request with these cookies by calling `work`. Returns its result and the cookies that
 * it set.
 */
async function visit<Result>(
  cookie: string,
  work: (context: Context<HttpEnv>) => Promise<Result> | Result,
): Promise<{ result: Result; set: string[] }> {
  const { promise, resolve } = Promise.withResolvers<Result>()
  const server = new Hono<HttpEnv>()
  server.get('/', async (context) => {
    resolve(await work(context))
    return context.body(null)
  })
  const answer = await server.request('/', { headers: { cookie } })
  expect(answer.status).toBe(200)
  return { result: await promise, set: answer.headers.getSetCookie() }
}

async function find(cookie: string, email = person.email, deps = app.deps) {
  return (await visit(cookie, (context) => findKnownBrowser(deps, context, email))).result
}

/**
 * Notes in the browser's cookie that this browser has signed in to the account. Returns the new
 * cookie.
 */
async function makeKnown(email = person.email, cookie = '', deps = app.deps) {
  const known = await find(cookie, email, deps)
  const { set } = await visit(cookie, async (context) => {
    const value = await knownBrowserValue(deps, context, email, known)
    if (value !== null) setKnownBrowser(deps, context, value)
  })
  return set[0]?.split(';', 1)[0] ?? ''
}

describe('a browser that signed in', () => {
  it('is known to that account, however the address is written, and to no other', async () => {
    const cookie = await makeKnown()
    const id = await find(cookie)
    expect(id).toMatch(/^[\w-]{21}$/)
    expect(await find(cookie, person.email.toUpperCase())).toBe(id)
    expect(await find(cookie, other.email)).toBeNull()
    expect(await find('')).toBeNull()
  })

  it('is another one than any other browser', async () => {
    const ids = await Promise.all([makeKnown(), makeKnown()].map(async (one) => find(await one)))
    expect(ids[0]).not.toBe(ids[1])
  })

  it('stays the same when it signs in again, and is known for another year', async () => {
    const before = app.clock()
    const cookie = await makeKnown()
    app.clock.advance(yearMs - 1000)
    const again = await makeKnown(person.email, cookie)
    app.clock.advance(2000)
    expect(await find(cookie)).toBeNull()
    expect(await find(again)).not.toBeNull()
    app.clock.set(before)
    expect(await find(again)).toBe(await find(cookie))
  })

  it('is known for a year, to the second', async () => {
    const before = app.clock()
    app.clock.set(new Date(Math.floor(before.getTime() / 1000) * 1000))
    const cookie = await makeKnown()
    app.clock.advance(yearMs - 1)
    expect(await find(cookie)).not.toBeNull()
    app.clock.advance(1)
    expect(await find(cookie)).toBeNull()
    app.clock.set(before)
  })

  it('is known no more once the password is another', async () => {
    const own = await makePerson(app)
    const cookie = await makeKnown(own.email)
    expect(await find(cookie, own.email)).not.toBeNull()
    const set = (password: string | null) =>
      app.deps.db.update(accounts).set({ password }).where(eq(accounts.userId, own.id))
    await set('salt:another hash')
    expect(await find(cookie, own.email)).toBeNull()
    await set(null)
    expect(await find(cookie, own.email)).toBeNull()
    // This account has no password. So no browser can prove that it knows the password.
    expect(await makeKnown(own.email)).toBe('')
  })

  it('is known to the five accounts that it signed in to last', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => makePerson(app)))
    let cookie = ''
    for (const { email } of people) cookie = await makeKnown(email, cookie)
    const known = () =>
      Promise.all(people.map(async ({ email }) => (await find(cookie, email)) !== null))
    expect(await known()).toEqual([false, true, true, true, true, true])
    // A second sign-in to the same account makes this account the latest. It removes no other
    // account.
    cookie = await makeKnown(people[1]?.email, cookie)
    expect(await known()).toEqual([false, true, true, true, true, true])
    cookie = await makeKnown(people[0]?.email, cookie)
    expect(await known()).toEqual([true, true, false, true, true, true])
  })
})

describe('a cookie that nobody gave', () => {
  it('is not believed, whatever of it is altered', async () => {
    const [name = '', value = ''] = (await makeKnown()).split('=')
    const fields = value.split('.')
    expect(fields).toHaveLength(4)
    const turned = (text: string) =>
      (/^\d/.test(text) && text.length < 21 ? '9' : text.startsWith('A') ? 'B' : 'A') +
      text.slice(1)
    for (const at of fields.keys()) {
      const altered = fields.map((field, index) => (index === at ? turned(field) : field)).join('.')
      expect(altered).not.toBe(value)
      expect(await find(`${name}=${altered}`)).toBeNull()
    }
    expect(await find(`${name}=${value}`)).not.toBeNull()
  })

  it('of another account is not believed under this account’s name', async () => {
    const [, foreign = ''] = (await makeKnown(other.email)).split('=')
    const own = await accountName(app.deps, person.email)
    const renamed = [own, ...foreign.split('.').slice(1)].join('.')
    expect(await find(`mayfly.known_browser=${renamed}`)).toBeNull()
  })

  it.each(['', 'x', '~', '~~~~~~~~', '...', 'a.b.1.c', '%00', '%', 'x'.repeat(10_000)])(
    'is nothing: %j',
    async (value) => {
      expect(await find(`mayfly.known_browser=${value}`)).toBeNull()
      expect(await find(await makeKnown(person.email, `mayfly.known_browser=${value}`))).not.toBe(
        null,
      )
    },
  )
})

describe('the cookie', () => {
  const https = () => ({
    ...app.deps,
    config: { ...app.deps.config, appUrl: new URL('https://files.example.org') },
  })

  it('is for our own pages, no script reads it, and it lasts a year', async () => {
    const { set } = await visit('', (context) => setKnownBrowser(app.deps, context, 'x'))
    expect(set).toEqual([
      'mayfly.known_browser=x; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax',
    ])
  })

  it('over https is of this host alone, and no other of its name is read', async () => {
    const cookie = await makeKnown(person.email, '', https())
    expect(cookie).toMatch(/^__Host-mayfly\.known_browser=/)
    expect(await find(cookie, person.email, https())).not.toBeNull()
    expect(await find(cookie.replace('__Host-', ''), person.email, https())).toBeNull()
    const { set } = await visit('', (context) => setKnownBrowser(https(), context, 'x'))
    expect(set[0]).toContain('; Secure')
  })
})

it('the name of an account tells nobody its address', async () => {
  const name = await accountName(app.deps, 'Ada@Example.org')
  expect(name).toMatch(/^[\w-]{22}$/)
  expect(await accountName(app.deps, 'ada@example.org')).toBe(name)
  expect(await accountName(app.deps, 'bob@example.org')).not.toBe(name)
})
