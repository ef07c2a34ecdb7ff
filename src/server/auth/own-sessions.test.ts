import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, logIn, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { SessionView } from '../../shared/contract/own-account.ts'
import { sessions } from '../db/schema.ts'

const firefoxUserAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function signInAgain({ email, password }: Person, userAgent = firefoxUserAgent) {
  const loginResponse = await makeClient(app).fetch('/api/auth/login', {
    method: 'POST',
    headers: { 'user-agent': userAgent },
    body: JSON.stringify({ email, password }),
  })
  const cookies = loginResponse.headers
    .getSetCookie()
    .map((setCookie) => setCookie.split(';', 1)[0])
  return makeClient(app, cookies.join('; '))
}

async function fetchSessions(client: Pick<Person, 'fetch'>) {
  return json<SessionView[]>(await client.fetch('/api/auth/sessions'))
}

async function fetchStatus(client: Pick<Person, 'fetch'>) {
  return (await client.fetch('/api/auth/user')).status
}

function endSession(client: Pick<Person, 'fetch'>, id: string) {
  return client.fetch(`/api/auth/sessions/${id}`, { method: 'DELETE' })
}

describe('GET /api/auth/sessions', () => {
  it('lists the current session first, then by last use', async () => {
    const person = await makePerson(app)
    const signedInAt = app.clock().toISOString()
    app.clock.advance(minuteMs)
    await signInAgain(person, 'curl/8.5.0')
    app.clock.advance(minuteMs)
    await signInAgain(person)
    const now = app.clock().toISOString()

    const [currentSession, newestSession, olderSession, ...remainingSessions] =
      await fetchSessions(person)
    expect(remainingSessions).toEqual([])
    expect(currentSession).toEqual({
      id: expect.any(String),
      createdAt: signedInAt,
      lastSeenAt: signedInAt,
      userAgent: 'node',
      browser: null,
      ipAddress: '127.0.0.1',
      isCurrent: true,
    })
    expect(newestSession).toMatchObject({
      createdAt: now,
      lastSeenAt: now,
      userAgent: firefoxUserAgent,
      browser: 'Firefox on Linux',
      isCurrent: false,
    })
    expect(olderSession).toMatchObject({ userAgent: 'curl/8.5.0', browser: null, isCurrent: false })
  })

  it('contains no tokens and no ids that open a session', async () => {
    const person = await makePerson(app)
    await signInAgain(person)
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
    await signInAgain(person)
    await makePerson(app)
    app.clock.advance(13 * dayMs)
    expect(await fetchSessions(person)).toHaveLength(2)
    app.clock.advance(dayMs)
    expect(await fetchSessions(person)).toHaveLength(1)
  })

  it('lists at most 100 sessions, including the current one', async () => {
    const person = await makePerson(app)
    const [row] = await app.deps.db.select().from(sessions).where(eq(sessions.userId, person.id))
    if (!row) throw new Error('no session')
    const updatedAt = new Date(row.updatedAt.getTime() + minuteMs)
    const rows = Array.from({ length: 120 }, (_, n) => ({
      ...row,
      id: `${row.id}-${n}`,
      token: `${row.token}-${n}`,
      updatedAt,
    }))
    await app.deps.db.insert(sessions).values(rows)
    const sessionList = await fetchSessions(person)
    expect(sessionList).toHaveLength(100)
    expect(sessionList[0]).toMatchObject({ id: row.id, isCurrent: true })
  })
})

describe('DELETE /api/auth/sessions/{id}', () => {
  it('ends only that session, at once', async () => {
    const person = await makePerson(app)
    const [lostBrowser, keptBrowser] = [await signInAgain(person), await signInAgain(person)]
    const [lostSession] = await fetchSessions(lostBrowser)
    const response = await endSession(person, lostSession?.id ?? '')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ message: 'Signed out there.' })
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await fetchStatus(lostBrowser)).toBe(401)
    expect(await fetchStatus(keptBrowser)).toBe(200)
    expect(await fetchStatus(person)).toBe(200)
  })

  it('clears the cookies for the current session', async () => {
    const person = await makePerson(app)
    const [currentSession] = await fetchSessions(person)
    const response = await endSession(person, currentSession?.id ?? '')
    expect(response.status).toBe(200)
    const cookies = response.headers.getSetCookie()
    expect(cookies.map((cookie) => cookie.split(';', 2).join(';'))).toEqual([
      'mayfly.session_token=; Max-Age=0',
      'mayfly.signed_in=; Max-Age=0',
    ])
    expect(await fetchStatus(person)).toBe(401)
  })

  it('returns 404 the second time, and succeeds once in parallel', async () => {
    const person = await makePerson(app)
    const [otherSession] = await fetchSessions(await signInAgain(person))
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => endSession(person, otherSession?.id ?? '')),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
    const secondResponse = await endSession(person, otherSession?.id ?? '')
    expect(await secondResponse.json()).toEqual({
      code: 'SESSION_NOT_FOUND',
      message: 'Session not found',
    })
  })

  it.each([
    ['an unknown ID', 'nothing', 404],
    ['an SQL injection', "x' or '1'='1", 404],
    ['a LIKE wildcard', '%25', 404],
    ['an ID that is too long', 'x'.repeat(65), 400],
    ['an ID with NUL', '%00', 400],
  ])('finds no session for %s', async (_, id, status) => {
    const person = await makePerson(app)
    expect((await endSession(person, id)).status).toBe(status)
    expect(await fetchStatus(person)).toBe(200)
  })

  it('is not undone by concurrent use of the session', async () => {
    const person = await makePerson(app)
    const lostBrowser = await signInAgain(person)
    const [lostSession] = await fetchSessions(lostBrowser)
    app.clock.advance(dayMs) // so that each use would be recorded
    const [endResponse, ...statuses] = await Promise.all([
      endSession(person, lostSession?.id ?? ''),
      ...[1, 2, 3, 4, 5].map(() => fetchStatus(lostBrowser)),
    ])
    expect(endResponse?.status).toBe(200)
    for (const status of statuses) expect([200, 401]).toContain(status)
    expect(await fetchStatus(lostBrowser)).toBe(401)
    expect(await fetchSessions(person)).toHaveLength(1)
  })
})

describe('DELETE /api/auth/sessions', () => {
  it('ends all other sessions and is idempotent', async () => {
    const [person, stranger] = [await makePerson(app), await makePerson(app)]
    const otherBrowsers = [await signInAgain(person), await signInAgain(person)]
    for (const attempt of ['first', 'second']) {
      const response = await person.fetch('/api/auth/sessions', { method: 'DELETE' })
      expect(response.status, attempt).toBe(200)
      expect(await response.json()).toEqual({ message: 'Signed out everywhere else.' })
    }
    for (const browser of otherBrowsers) expect(await fetchStatus(browser)).toBe(401)
    expect(await fetchStatus(person)).toBe(200)
    expect(await fetchStatus(stranger)).toBe(200)
  })

  it('called by two browsers at once leaves at most one signed in', async () => {
    const person = await makePerson(app)
    const otherBrowser = await signInAgain(person)
    const responses = await Promise.all(
      [person, otherBrowser].map((client) =>
        client.fetch('/api/auth/sessions', { method: 'DELETE' }),
      ),
    )
    for (const { status } of responses) expect([200, 401]).toContain(status)
    const rows = await app.deps.db.select().from(sessions).where(eq(sessions.userId, person.id))
    expect(rows.length).toBeLessThan(2)
  })
})

it('cross-site requests end no session and change neither name nor password', async () => {
  const person = await makePerson(app)
  await signInAgain(person)
  const [currentSession] = await fetchSessions(person)
  const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' }
  for (const [method, path, body] of [
    ['DELETE', '/api/auth/sessions'],
    ['DELETE', `/api/auth/sessions/${currentSession?.id}`],
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
  expect(await fetchSessions(person)).toHaveLength(2)
  expect(await json(await person.fetch('/api/auth/user'))).toMatchObject({ firstName: 'Ada' })
  await logIn(app, person.email, person.password)
})
