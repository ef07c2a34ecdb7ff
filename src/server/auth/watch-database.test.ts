import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logIn, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { sessions } from '../db/schema.ts'

let app: TestApp
let person: Person

beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on' } })
  person = await makePerson(app)
})
afterAll(() => app.close())

/**
 * Runs `work` while every change of `table` fails with the error code `code`, as Postgres would
 * fail.
 */
async function whileRefusing<T>(table: string, code: string, work: () => Promise<T>): Promise<T> {
  const { db } = app.deps
  const refuse = `create function refuse() returns trigger language plpgsql as
    $$ begin raise exception using errcode = '${code}'; end $$`
  await db.execute(sql.raw(refuse))
  await db.execute(
    sql.raw(`create trigger refuse before insert or update or delete on ${table}
      for each row execute function refuse()`),
  )
  try {
    return await work()
  } finally {
    await db.execute(sql.raw('drop function refuse cascade'))
  }
}

function newcomer() {
  return {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: `${randomUUID()}@example.org`,
    password: 'correct horse',
    confirmPassword: 'correct horse',
  }
}

/** Calls that Better Auth handles, and the table that each of them changes. */
const calls: [string, string, () => Promise<Response>][] = [
  ['sign-up', 'users', () => makeClient(app).post('/api/auth/signup', newcomer())],
  [
    'the account of a sign-up',
    'accounts',
    () => makeClient(app).post('/api/auth/signup', newcomer()),
  ],
  ['login', 'sessions', () => makeClient(app).post('/api/auth/login', person)],
  ['the count of logins', 'rate_limits', () => makeClient(app).post('/api/auth/login', person)],
  ['sign-out', 'sessions', () => person.fetch('/api/logout')],
  ['the use of a session', 'sessions', () => person.fetch('/api/auth/user')],
]

describe.each([
  // A full disk does not pass by itself, so the answer names no time to try again.
  ['has no disk left', '53100', 'DISK_FULL', null],
  ['waits for a lock', '55P03', 'UNAVAILABLE', '5'],
  ['takes too long', '57014', 'UNAVAILABLE', '5'],
])('a database that %s', (_, code, told, retryAfter) => {
  it.each(calls)('answers 503 to %s', async (_name, table, call) => {
    // A use after a day is due to be noted, which is a write.
    const seen = new Date(app.clock().getTime() - 24 * 60 * 60_000)
    await app.deps.db.update(sessions).set({ updatedAt: seen })
    const response = await whileRefusing(table, code, call)
    expect(await response.json()).toMatchObject({ code: told })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe(retryAfter)
    expect(response.headers.getSetCookie()).toEqual([])
    // The fault signed nobody out.
    expect((await person.fetch('/api/auth/user')).status).toBe(200)
  })
})

describe('another fault of the database', () => {
  it('is told as ours', async () => {
    const response = await whileRefusing('sessions', 'P0001', () =>
      makeClient(app).post('/api/auth/login', person),
    )
    expect(response.status).toBe(500)
  })
})

it('what went well is answered as before', async () => {
  const cookie = await logIn(app, person.email, person.password)
  expect((await makeClient(app, cookie).fetch('/api/logout')).status).toBe(302)
  expect((await makeClient(app, cookie).fetch('/api/auth/user')).status).toBe(401)
})
