import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { logIn, makeClient, makePerson } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * The attack: somebody knows a password, and keeps signing in while its owner changes it by the
 * link in an email. A login that began before the change must not open a session after it.
 */

const gate = 8_0815

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  // Every login stops here until the test lets it go on. By then the password has been compared,
  // but the session is not written yet.
  await app.deps.db.execute(sql`
    create function wait_at_the_gate() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${sql.raw(String(gate))}); return new; end
    $$`)
  await app.deps.db.execute(sql`
    create trigger gate before insert on sessions for each row execute function wait_at_the_gate()`)
})
afterAll(() => app.close())

async function waiting() {
  const { rows } = await app.deps.db.execute<{ count: number }>(sql`
    select count(*)::int as count from pg_locks
    where locktype = 'advisory' and objid = ${gate} and not granted`)
  return rows[0]?.count
}

it('a login with the old password, compared before a reset and ended after it, opens no session', async () => {
  const person = await makePerson(app)
  await makeClient(app).post('/api/auth/forgot-password', { email: person.email })
  const [mail] = await app.mails()
  const token = /\/reset-password\?token=([\w-]+)/.exec(mail?.letter.text ?? '')?.[1]

  const { email, password } = person
  const late = await app.deps.db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${gate})`)
    const login = makeClient(app).post('/api/auth/login', { email, password })
    await expect.poll(waiting).toBe(1)
    const reset = { token, newPassword: 'a new password' }
    expect((await makeClient(app).post('/api/auth/reset-password', reset)).status).toBe(200)
    return { login }
  })
  const answer = await late.login
  expect(answer.status).toBe(401)
  expect(await answer.json()).toMatchObject({ code: 'INVALID_CREDENTIALS' })
  expect(answer.headers.getSetCookie()).toEqual([])
  const { rows } = await app.deps.db.execute(
    sql`select 1 from sessions where user_id = ${person.id}`,
  )
  expect(rows).toEqual([])

  const cookie = await logIn(app, email, 'a new password')
  expect((await makeClient(app, cookie).fetch('/api/auth/user')).status).toBe(200)
})
