import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, logIn, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { SessionView } from '../../shared/contract/own-account.ts'
import { sessions } from '../db/schema.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/** Signs the same person in again, from a browser with this `User-Agent`. */
async function anotherBrowser({ email, password }: Person, userAgent = firefox) {
  const login = await makeClient(app).fetch('/api/auth/login', {
    method: 'POST',
    headers: { 'user-agent': userAgent },
    body: JSON.stringify({ email, password }),
  })
  const cookie = login.headers.getSetCookie().map((one) => one.split(';', 1)[0])
  return makeClient(app, cookie.join('; '))
}

async function list(client: Pick<Person, 'fetch'>) {
  return json<SessionView[]>(await client.fetch('/api/auth/sessions'))
}

async function statusOf(client: Pick<Person, 'fetch'>) {
  return (await client.fetch('/api/auth/user')).status
}

function end(client: Pick<Person, 'fetch'>, id: string) {
  return client.fetch(`/api/auth/sessions/${id}`, { method: 'DELETE' })
}

describe('GET /api/auth/sessions', () => {
  it('lists the current session first, then by last use', async () => {
    const person = await makePerson(app)
    const signedInAt = app.clock().toISOString()
    app.clock.advance(minuteMs)
    await anotherBrowser(person, 'curl/8.5.0')
    app.clock.advance(minuteMs)
    await anotherBrowser(person)
    const now = app.clock().toISOString()

    const [own, newest, older, ...none] = await list(person)
    expect(none).toEqual([])
    expect(own).toEqual({
      id: expect.any(String),
      createdAt: signedInAt,
      lastSeenAt: signedInAt,
      userAgent: 'node',
      browser: null,
      ipAddress: '127.0.0.1',
      isCurrent: true,
    })
    expect(newest).toMatchObject({
      createdAt: now,
      lastSeenAt: now,
      userAgent: firefox,
      browser: 'Firefox on Linux',
      isCurrent: false,
    })
    expect(older).toMatchObject({ userAgent: 'curl/8.5.0', browser: null, isCurrent: false })
  })

  it('contains no tokens and no ids that open a session', async () => {
    const person = await makePerson(app)
    await anotherBrowser(person)
    const response = await person.fetch('/api/auth/sessions')
    const text = await response.text()
    const rows = await app.deps.db.select().from(sessions).where(eq(sessions.userId, person.id))
    expect(rows).toHaveLength(2)
    for (const { id, token } of rows) {
      expect(text).toContain(id)
      expect(text).not.toContain(token)
      expect(token).not.toContain(id)
    }
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('omits expired sessions and those of other users', async () => {
    const person = await makePerson(app)
    await anotherBrowser(person)
    await makePerson(app)
    app.clock.advance(13 * dayMs)
    expect(await list(person)).toHaveLength(2)
    app.clock.advance(dayMs)
    expect(await list(person)).toHaveLength(1)
  })

  it('lists at most 100 sessions, including the current one', async () => {
    const person = await makePerson(app)
    const [row] = await app.deps.db.select().from(sessions).where(eq(sessions.userId, person.id))
    if (!row) throw new Error('no session')
    const later = new Date(row.updatedAt.getTime() + minuteMs)
    const many = Array.from({ length: 120 }, (_, n) => ({
      ...row,
      id: `${row.id}-${n}`,
      token: `${row.token}-${n}`,
      updatedAt: later,
    }))
    await app.deps.db.insert(sessions).values(many)
    const listed = await list(person)
    expect(listed).toHaveLength(100)
    expect(listed[0]).toMatchObject({ id: row.id, isCurrent: true })
  })
})

describe('DELETE /api/auth/sessions/{id}', () => {
  it('ends only that session, at once', async () => {
    const person = await makePerson(app)
    const [lost, kept] = [await anotherBrowser(person), await anotherBrowser(person)]
    const [own] = await list(lost)
    const ended = await end(person, own?.id ?? '')
    expect(ended.status).toBe(200)
    expect(await ended.json()).toEqual({ message: 'Signed out there.' })
    expect(ended.headers.getSetCookie()).toEqual([])
    expect(await statusOf(lost)).toBe(401)
    expect(await statusOf(kept)).toBe(200)
    expect(await statusOf(person)).toBe(200)
  })

  it('clears the cookies for the current session', async () => {
    const person = await makePerson(app)
    const [own] = await list(person)
    const ended = await end(person, own?.id ?? '')
    expect(ended.status).toBe(200)
    const cookies = ended.headers.getSetCookie()
    expect(cookies.map((cookie) => cookie.split(';', 2).join(';'))).toEqual([
      'mayfly.session_token=; Max-Age=0',
      'mayfly.signed_in=; Max-Age=0',
    ])
    expect(await statusOf(person)).toBe(401)
  })

  it('is 404 the second time, and succeeds once in parallel', async () => {
    const person = await makePerson(app)
    const [own] = await list(await anotherBrowser(person))
    const answers = await Promise.all([1, 2, 3, 4].map(() => end(person, own?.id ?? '')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
    const again = await end(person, own?.id ?? '')
    expect(await again.json()).toEqual({ code: 'SESSION_NOT_FOUND', message: 'Session not found' })
  })

  it.each([
    ['an unknown ID', 'nothing', 404],
    ['an SQL injection', "x' or '1'='1", 404],
    ['a LIKE wildcard', '%25', 404],
    ['an ID that is too long', 'x'.repeat(65), 400],
    ['an ID with NUL', '%00', 400],
  ])('finds no session for %s', async (_, id, status) => {
    const person = await makePerson(app)
    expect((await end(person, id)).status).toBe(status)
    expect(await statusOf(person)).toBe(200)
  })

  it('is not undone by concurrent use of the session', async () => {
    const person = await makePerson(app)
    const lost = await anotherBrowser(person)
    const [own] = await list(lost)
    app.clock.advance(dayMs) // so that each use would be recorded
    const [ended, ...used] = await Promise.all([
      end(person, own?.id ?? ''),
      ...[1, 2, 3, 4, 5].map(() => statusOf(lost)),
    ])
    expect(ended?.status).toBe(200)
    for (const status of used) expect([200, 401]).toContain(status)
    expect(await statusOf(lost)).toBe(401)
    expect(await list(person)).toHaveLength(1)
  })
})

describe('DELETE /api/auth/sessions', () => {
  it('ends all other sessions and is idempotent', async () => {
    const [person, stranger] = [await makePerson(app), await makePerson(app)]
    const others = [await anotherBrowser(person), await anotherBrowser(person)]
    for (const time of ['first', 'second']) {
      const ended = await person.fetch('/api/auth/sessions', { method: 'DELETE' })
      expect(ended.status, time).toBe(200)
      expect(await ended.json()).toEqual({ message: 'Signed out everywhere else.' })
    }
    for (const other of others) expect(await statusOf(other)).toBe(401)
    expect(await statusOf(person)).toBe(200)
    expect(await statusOf(stranger)).toBe(200)
  })

  it('called by two browsers at once leaves at most one signed in', async () => {
    const person = await makePerson(app)
    const other = await anotherBrowser(person)
    const answers = await Promise.all(
      [person, other].map((client) => client.fetch('/api/auth/sessions', { method: 'DELETE' })),
    )
    for (const { status } of answers) expect([200, 401]).toContain(status)
    const rows = await app.deps.db.select().from(sessions).where(eq(sessions.userId, person.id))
    expect(rows.length).toBeLessThan(2)
  })
})

it('cross-site requests end no session and change neither name nor password', async () => {
  const person = await makePerson(app)
  await anotherBrowser(person)
  const [own] = await list(person)
  const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' }
  for (const [method, path, body] of [
    ['DELETE', '/api/auth/sessions'],
    ['DELETE', `/api/auth/sessions/${own?.id}`],
    ['PATCH', '/api/auth/user', '{"firstName":"Eve"}'],
    [
      'POST',
      '/api/auth/change-password',
      JSON.stringify({ currentPassword: person.password, newPassword: 'chosen by Eve' }),
    ],
  ] as const) {
    const response = await person.fetch(path, { method, headers, ...(body && { body }) })
    expect(response.status, path).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'FOREIGN_ORIGIN' })
  }
  expect(await list(person)).toHaveLength(2)
  expect(await json(await person.fetch('/api/auth/user'))).toMatchObject({ firstName: 'Ada' })
  await logIn(app, person.email, person.password)
})
