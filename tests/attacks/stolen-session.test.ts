import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessions } from '../../src/server/db/schema.ts'
import type { SessionView } from '../../src/shared/contract/own-account.ts'
import { requestAccountDeletion } from '../support/account-deletion.ts'
import { type Client, json, logIn, makeClient, makePerson } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: use a copied session cookie, or a computer where somebody is signed in. The attacker
 * can use the session until it ends, but must not be able to take over the account, and the owner
 * must be able to end the session.
 */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on' } })
})
afterAll(() => app.close())

/** Signs in as the same user again. Returns only the new session's cookie. */
async function stealCookie(person: { email: string; password: string }) {
  const cookies = await logIn(app, person.email, person.password)
  return cookies.split('; ').find((cookie) => cookie.startsWith('mayfly.session_token=')) ?? ''
}

function changePassword(client: Client, currentPassword: string) {
  return client.post('/api/auth/change-password', { currentPassword, newPassword: 'chosen by Eve' })
}

describe('guessing the current password in a stolen session', () => {
  it('is limited to 10 attempts, even in parallel, which count as failed logins', async () => {
    const person = await makePerson(app)
    const thief = makeClient(app, await stealCookie(person))
    const guessResponses = await Promise.all(
      Array.from({ length: 25 }, () => changePassword(thief, 'a guess')),
    )
    const statuses = guessResponses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(15)
    expect(guessResponses.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe(
      '900',
    )

    const { email, password } = person
    const loginResponse = await makeClient(app).post('/api/auth/login', { email, password })
    expect(loginResponse.status).toBe(429)
    // From now on, even the right password is rejected without being verified.
    expect((await changePassword(thief, password)).status).toBe(429)
    const knownClient = makeClient(app, await loginBeforeGuessing(person))
    expect((await knownClient.fetch('/api/auth/user')).status).toBe(200)
    expect((await changePassword(knownClient, password)).status).toBe(200)
    app.clock.advance(15 * 60_000)
  })

  it('allows 10 more with the cookie of a known browser', async () => {
    const person = await makePerson(app)
    const thief = makeClient(app, await logIn(app, person.email, person.password))
    const guessResponses = await Promise.all(
      Array.from({ length: 25 }, () => changePassword(thief, 'a guess')),
    )
    expect(guessResponses.filter(({ status }) => status === 400)).toHaveLength(20)
    expect(guessResponses.filter(({ status }) => status === 429)).toHaveLength(5)
    app.clock.advance(15 * 60_000)
  })

  it("is logged with the client's address but not the account", async () => {
    const person = await makePerson(app)
    const lineCountBefore = app.logLines.length
    await changePassword(makeClient(app, await stealCookie(person)), 'a guess')
    const lines = app.logLines.slice(lineCountBefore)
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'a password was refused',
        client: '127.0.0.1',
        code: 'WRONG_PASSWORD',
      }),
    )
    expect(JSON.stringify(lines)).not.toContain(person.email)
  })

  it("doesn't count right passwords", async () => {
    const person = await makePerson(app)
    const { email, password } = person
    let client = makeClient(app, await stealCookie(person))
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const response = await client.post('/api/auth/change-password', {
        currentPassword: password,
        newPassword: password,
      })
      expect(response.status).toBe(200)
      const [cookie = ''] = response.headers.getSetCookie()
      client = makeClient(app, cookie.split(';', 1)[0])
    }
    await logIn(app, email, password)
  })
})

/**
 * Returns the cookies of a browser that logged in before the password was guessed. That browser may
 * still log in afterwards.
 */
async function loginBeforeGuessing(person: {
  fetch: Client['fetch']
  email: string
  password: string
}) {
  app.clock.advance(15 * 60_000)
  const cookies = await logIn(app, person.email, person.password)
  const thief = makeClient(app, cookies.split('; ')[0])
  await Promise.all(Array.from({ length: 12 }, () => changePassword(thief, 'a guess')))
  return cookies
}

describe('a session ended by its owner', () => {
  it.each<[string, (client: Client, password: string) => Promise<Response>]>([
    ['a password change', changePassword],
    [
      'a deletion of the account',
      (client, password) => requestAccountDeletion(client, { password }),
    ],
  ])("can't complete %s in progress", async (_, makeChange) => {
    const person = await makePerson(app)
    const thief = makeClient(app, await stealCookie(person))
    const [, stolenSession] = await json<SessionView[]>(await person.fetch('/api/auth/sessions'))

    await app.sendQueuedEmails()
    const lateChangeResult = await app.deps.db.transaction(async (tx) => {
      // The change waits for this lock: the password is verified, but nothing is written yet.
      await tx.execute(sql`select 1 from users where id = ${person.id} for update`)
      const changePromise = makeChange(thief, person.password)
      await expect.poll(countLockWaits).toBe(1)
      const path = `/api/auth/sessions/${stolenSession?.id}`
      expect((await person.fetch(path, { method: 'DELETE' })).status).toBe(200)
      return { changing: changePromise }
    })
    const response = await lateChangeResult.changing
    expect(response.status).toBe(401)
    expect(response.headers.getSetCookie()).toEqual([])
    await logIn(app, person.email, person.password)
    expect((await person.fetch('/api/auth/user')).status).toBe(200)
    expect(await app.sendQueuedEmails()).toEqual([])
  })

  it('stops working at once for every call, as do copies of its cookie', async () => {
    const person = await makePerson(app)
    const cookie = await stealCookie(person)
    await person.fetch('/api/auth/sessions', { method: 'DELETE' })
    for (const path of ['/api/auth/user', '/api/files', '/api/auth/sessions']) {
      expect((await makeClient(app, cookie).fetch(path)).status).toBe(401)
    }
    const remainingSessions = await app.deps.db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, person.id))
    expect(remainingSessions).toHaveLength(1)
  })
})

/** Counts statements waiting for a row lock on `users`. */
async function countLockWaits() {
  const { rows } = await app.deps.db.execute<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%"users"%'`)
  return rows[0]?.count
}
