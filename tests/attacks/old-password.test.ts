import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accounts, sessions, users } from '../../src/server/db/schema.ts'
import { makeClient, makePerson } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/** The attack: keep signing in with a stolen password while the account's owner changes it. */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/** Counts statements on other connections that are waiting for a lock. */
async function countLockWaits() {
  const { rows } = await app.deps.db.execute<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.count
}

it('a login that verified the old password before a change opens no session after it', async () => {
  const [person, passwordSource] = [await makePerson(app), await makePerson(app)]
  const { email, id, password } = person
  const sessionCountBefore = await app.deps.db.$count(sessions, eq(sessions.userId, id))
  const { login } = await app.deps.db.transaction(async (tx) => {
    // A password change takes the same lock.
    await tx.select().from(users).where(eq(users.id, id)).for('no key update')
    const loginPromise = makeClient(app).post('/api/auth/login', { email, password })
    await expect.poll(countLockWaits).toBe(1)
    const [changed] = await tx.select().from(accounts).where(eq(accounts.userId, passwordSource.id))
    await tx
      .update(accounts)
      .set({ password: changed?.password ?? '' })
      .where(eq(accounts.userId, id))
    return { login: loginPromise }
  })
  const response = await login
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ code: 'INVALID_CREDENTIALS' })
  expect(response.headers.getSetCookie()).toEqual([])
  expect(await app.deps.db.$count(sessions, eq(sessions.userId, id))).toBe(sessionCountBefore)
})
