import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logIn, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { seenStepMs } from '../../shared/rules/accounts/session-life.ts'
import { sessions } from '../db/schema.ts'

let app: TestApp
let person: Person

beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on' } })
  person = await makePerson(app)
})
afterAll(() => app.close())

/**
 * Runs `work`. Meanwhile every change of `table` fails with an error of Postgres that has this
 * code.
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

/** Requests that change accounts, and the table that each of them changes. */
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
]

describe.each([
  ['has no disk left', '53100', 'DISK_FULL', '60'],
  ['waits for a lock', '55P03', 'UNAVAILABLE', '5'],
  ['takes too long', '57014', 'UNAVAILABLE', '5'],
])('a database that %s', (_, code, told, retryAfter) => {
  it.each(calls)('answers 503 to %s', async (_name, table, call) => {
    const response = await whileRefusing(table, code, call)
    expect(await response.json()).toMatchObject({ code: told })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe(retryAfter)
    expect(response.headers.getSetCookie()).toEqual([])
    // The failure has signed nobody out.
    expect((await person.fetch('/api/auth/user')).status).toBe(200)
  })

  it('serves who is signed in, although the use of the session cannot be noted', async () => {
    app.clock.advance(seenStepMs)
    const before = await app.deps.db.select().from(sessions)
    const response = await whileRefusing('sessions', code, () => person.fetch('/api/auth/user'))
    expect(response.status).toBe(200)
    expect(await app.deps.db.select().from(sessions)).toEqual(before)
    const [line] = app.logged.filter(
      ({ requestId, err }) => requestId === response.headers.get('x-request-id') && err,
    )
    expect(line).toMatchObject({ msg: 'the use of a session could not be noted' })
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
