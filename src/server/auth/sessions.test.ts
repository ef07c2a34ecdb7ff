import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type Client,
  logIn,
  makeClient,
  makePerson,
  type Person,
  signUp,
} from '../../../tests/support/make.ts'
import { send } from '../../../tests/support/send.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Endpoint } from '../../shared/contract/endpoint.ts'
import { endpoints } from '../../shared/contract/index.ts'
import { lastSeenIntervalMs } from '../../shared/rules/accounts/session-lifetime.ts'
import { sessions, users } from '../db/schema.ts'
import { removeExpiredRows } from './queries.ts'

const dayMs = 86_400_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function listSessions(userId: string) {
  return app.deps.db.select().from(sessions).where(eq(sessions.userId, userId))
}

async function fetchStatus(client: Client) {
  return (await client.fetch('/api/auth/user')).status
}

function logInWith(cookie: string, { email, password }: Pick<Person, 'email' | 'password'>) {
  return makeClient(app, cookie).post('/api/auth/login', { email, password })
}

function findCookie(response: Response, name: string) {
  return response.headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`))
}

describe('the session cookie', () => {
  it('is HttpOnly and SameSite, and lasts 90 days', async () => {
    const cookie = findCookie(await logInWith('', await makePerson(app)), 'mayfly.session_token')
    expect(cookie).toMatch(
      /^mayfly\.session_token=[^;]+; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  it('is set and cleared together with a hint that scripts can read and that differs for each session', async () => {
    const person = await makePerson(app)
    const hints = await Promise.all(
      [1, 2].map(async () => findCookie(await logInWith('', person), 'mayfly.signed_in')),
    )
    for (const hint of hints) {
      expect(hint).toMatch(/^mayfly\.signed_in=[\w-]{8}; Max-Age=7776000; Path=\/; SameSite=Lax$/)
    }
    expect(hints[0]).not.toBe(hints[1])

    const logoutResponse = await person.fetch('/api/logout')
    for (const name of ['mayfly.session_token', 'mayfly.signed_in']) {
      expect(findCookie(logoutResponse, name)).toContain(`${name}=; Max-Age=0; Path=/`)
    }
  })

  it('is set by no other response, which could undo a newer login', async () => {
    const person = await makePerson(app)
    app.clock.advance(13 * dayMs)
    const responseInTime = await person.fetch('/api/auth/user')
    expect(responseInTime.status).toBe(200)
    expect(responseInTime.headers.getSetCookie()).toEqual([])
    app.clock.advance(14 * dayMs)
    const expiredResponse = await person.fetch('/api/auth/user')
    expect(expiredResponse.status).toBe(401)
    expect(expiredResponse.headers.getSetCookie()).toEqual([])
  })

  it('is rejected if altered or forged', async () => {
    const person = await makePerson(app)
    const [cookie = ''] = (await logIn(app, person.email, person.password)).split('; ')
    for (const forgedCookie of [
      cookie.slice(0, -3),
      `${cookie}x`,
      'mayfly.session_token=abc.def',
      'mayfly.session_token=abc',
      'mayfly.session_token=%00.%ff',
      cookie.replace('mayfly.', '__Host-mayfly.'),
    ]) {
      const response = await makeClient(app, forgedCookie).fetch('/api/auth/user')
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({ code: 'UNAUTHORIZED', message: 'Unauthorized' })
    }
  })
})

describe('with https', () => {
  let httpsApp: TestApp
  beforeAll(async () => {
    httpsApp = await startTestApp({ env: { APP_URL: 'https://files.example.org' } })
  })
  afterAll(() => httpsApp.close())

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send(`http://127.0.0.1:${httpsApp.deps.config.port}${path}`, {
      method: 'POST',
      headers: { host: 'files.example.org', ...headers },
      body: JSON.stringify(body),
    })

  it('every cookie is Secure, and cookies that grant access are bound to the host', async () => {
    const form = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' }
    const password = 'correct horse'
    await post('/api/auth/signup', { ...form, password, confirmPassword: password })
    const { headers } = await post('/api/auth/login', { email: form.email, password })
    const cookies = headers['set-cookie'] ?? []
    const accessCookies = cookies.filter((cookie) => /; HttpOnly/.test(cookie))
    expect(accessCookies.map((cookie) => cookie.split('=', 1)[0])).toEqual([
      '__Host-mayfly.session_token',
      '__Host-mayfly.known_browser',
    ])
    for (const cookie of accessCookies) {
      // RFC 6265bis: browsers accept a `__Host-` cookie only in this form.
      expect(cookie).toMatch(/; Path=\/;/)
      expect(cookie).not.toMatch(/Domain/i)
    }
    expect(cookies).toHaveLength(3)
    for (const cookie of cookies) expect(cookie).toMatch(/; Secure/)

    const value = cookies[0]?.split(';', 1)[0]?.replace('__Host-', '') ?? ''
    const fetchUser = (cookie: string) =>
      send(`http://127.0.0.1:${httpsApp.deps.config.port}/api/auth/user`, {
        headers: { host: 'files.example.org', cookie },
      })
    expect((await fetchUser(`__Host-${value}`)).status).toBe(200)
    // Another site on the same domain could set cookies with these names.
    for (const name of [value, `__Secure-${value}`])
      expect((await fetchUser(name)).status).toBe(401)
  })
})

describe('a session', () => {
  it('expires after 14 days without use, to the millisecond', async () => {
    const [activePerson, idlePerson] = [await makePerson(app), await makePerson(app)]
    app.clock.advance(14 * dayMs - 1)
    expect(await fetchStatus(activePerson)).toBe(200)
    app.clock.advance(1)
    expect(await fetchStatus(idlePerson)).toBe(401)
    expect(await fetchStatus(activePerson)).toBe(200)
  })

  it('expires after 14 days on an idle page, although the page keeps polling', async () => {
    const admin = await makePerson(app, { role: 'admin' })
    const [sessionBefore] = await listSessions(admin.id)
    const polledEndpoints = Object.values(endpoints).filter((row: Endpoint) => row.isPolled)
    expect(polledEndpoints.map(({ path }) => path).toSorted()).toEqual([
      '/api/admin/waiting',
      '/api/files/summary',
    ])
    const pollAll = () =>
      Promise.all(polledEndpoints.map(async ({ path }) => (await admin.fetch(path)).status))
    for (const ms of [dayMs, 13 * dayMs - 1]) {
      app.clock.advance(ms)
      expect(await pollAll()).toEqual([200, 200])
    }
    expect(await listSessions(admin.id)).toEqual([sessionBefore])
    app.clock.advance(1)
    expect(await pollAll()).toEqual([401, 401])
  })

  it('expires 90 days after the login despite use, to the millisecond', async () => {
    const person = await makePerson(app)
    for (const days of [13, 13, 13, 13, 13, 13, 11]) {
      app.clock.advance(days * dayMs)
      expect(await fetchStatus(person)).toBe(200)
    }
    // It is now 89 days after the login.
    app.clock.advance(dayMs - 1)
    expect(await fetchStatus(person)).toBe(200)
    app.clock.advance(1)
    expect(await fetchStatus(person)).toBe(401)
  })

  it('is written at most every ten minutes, by one of several parallel requests', async () => {
    const person = await makePerson(app)
    const [sessionBefore] = await listSessions(person.id)
    app.clock.advance(lastSeenIntervalMs - 1)
    await person.fetch('/api/auth/user', { headers: { 'user-agent': 'another browser' } })
    expect(await listSessions(person.id)).toEqual([sessionBefore])

    app.clock.advance(1)
    await Promise.all(
      ['one', 'two', 'three'].map((userAgent) =>
        person.fetch('/api/auth/user', { headers: { 'user-agent': userAgent } }),
      ),
    )
    const [sessionAfter] = await listSessions(person.id)
    const now = app.clock()
    expect(sessionAfter).toEqual({
      ...sessionBefore,
      updatedAt: now,
      expiresAt: new Date(now.getTime() + 14 * dayMs),
      userAgent: expect.stringMatching(/^(one|two|three)$/),
    })
  })

  it("stores a truncated User-Agent and the socket's address", async () => {
    const person = await signUp(app)
    const loginResponse = await makeClient(app).fetch('/api/auth/login', {
      method: 'POST',
      headers: {
        'user-agent': `${'x'.repeat(5000)}`,
        'x-forwarded-for': '203.0.113.9',
        'x-mayfly-client-address': '203.0.113.9',
      },
      body: JSON.stringify(person),
    })
    const { id } = (await loginResponse.json()) as { id: string }
    const [row] = await listSessions(id)
    expect(row).toMatchObject({ userAgent: 'x'.repeat(400), ipAddress: '127.0.0.1' })
  })

  it('is removed by a job after it has expired, not before', async () => {
    const person = await makePerson(app)
    app.clock.advance(14 * dayMs - 1)
    await removeExpiredRows(app.deps.db, app.clock())
    expect(await listSessions(person.id)).toHaveLength(1)
    app.clock.advance(1)
    await removeExpiredRows(app.deps.db, app.clock())
    expect(await listSessions(person.id)).toEqual([])
  })

  it('is removed by a job in batches', async () => {
    const person = await makePerson(app)
    await app.pool.query(
      `insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
       select 'old-' || n, 'old-' || n, $1, $2, $2, $2 from generate_series(1, 7000) n`,
      [person.id, app.clock()],
    )
    const query = vi.spyOn(app.pool, 'query')
    await removeExpiredRows(app.deps.db, app.clock())
    const deleteResults = await Promise.all(query.mock.results.map(({ value }) => value))
    query.mockRestore()
    expect(Math.max(...deleteResults.map(({ rowCount }) => rowCount))).toBe(5000)
    expect(await listSessions(person.id)).toHaveLength(1)
  })

  it('ends when its user is deleted', async () => {
    const person = await makePerson(app)
    await app.deps.db.delete(users).where(eq(users.id, person.id))
    expect(await fetchStatus(person)).toBe(401)
    expect(await listSessions(person.id)).toEqual([])
  })
})
