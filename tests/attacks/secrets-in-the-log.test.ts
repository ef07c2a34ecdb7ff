import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, accountTokens, sessions } from '../../src/server/db/schema.ts'
import { makeClient, makePerson } from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/** Every table that calls about accounts read or write. */
const tables = ['users', 'accounts', 'sessions', 'account_tokens']

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/** Runs `during`. Meanwhile every statement about this table fails. */
async function withoutTable(table: string, during: () => Promise<void>) {
  await app.deps.db.execute(`alter table ${table} rename to away`)
  try {
    await during()
  } finally {
    await app.deps.db.execute(`alter table away rename to ${table}`)
  }
}

describe('the log of failed queries', () => {
  it('holds no address, no password, no hash of one and no token', async () => {
    const { db } = app.deps
    const person = await makePerson(app)
    const { email, password } = person
    const visitor = makeClient(app)
    await visitor.post('/api/auth/forgot-password', { email })
    const letters = await app.mails()
    const token = /token=([\w-]+)/.exec(letters.at(-1)?.letter.text ?? '')?.[1] ?? ''
    expect(token).not.toBe('')
    const newcomer = 'newcomer@example.org'
    const newPassword = 'another battery staple'
    const signup = { firstName: 'Ada', lastName: 'L', email: newcomer, password: newPassword }

    const before = app.logged.length
    for (const table of tables) {
      const failures = app.logged.filter(({ err }) => err).length
      await withoutTable(table, async () => {
        await person.fetch('/api/auth/user')
        await visitor.post('/api/auth/login', { email, password })
        await visitor.post('/api/auth/signup', { ...signup, confirmPassword: newPassword })
        await visitor.post('/api/auth/reset-password', { token, newPassword })
        await person.post('/api/auth/change-password', { currentPassword: password, newPassword })
        await person.fetch('/api/auth/user', {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ firstName: 'Augusta' }),
        })
      })
      expect(app.logged.filter(({ err }) => err).length, table).toBeGreaterThan(failures)
    }

    const logged = JSON.stringify(app.logged.slice(before))
    expect(logged).toContain('Failed query: ')
    const secrets = [
      email,
      newcomer,
      password,
      newPassword,
      'Augusta',
      token,
      ...(await db.select().from(sessions)).map((row) => row.token),
      ...(await db.select().from(accounts)).map((row) => row.password ?? ''),
      ...(await db.select().from(accountTokens)).map((row) => row.hash),
    ]
    expect(secrets.length).toBeGreaterThan(8)
    for (const secret of secrets) {
      expect(secret).not.toBe('')
      expect(logged).not.toContain(secret)
    }
  })
})
