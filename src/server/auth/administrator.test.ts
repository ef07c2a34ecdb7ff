import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, logIn, makeClient, makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { auditLog, users } from '../db/schema.ts'
import { ensureAdministrator } from './administrator.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('the administrator', () => {
  it('is created once when servers start in parallel, and can log in', async () => {
    const passwordRequests: number[] = []
    const creationResults = await Promise.all(
      [1, 2, 3].map((server) =>
        ensureAdministrator(app.deps, async () => {
          passwordRequests.push(server)
          return 'an admin password'
        }),
      ),
    )
    expect(creationResults.filter(({ created }) => created)).toHaveLength(1)
    expect(passwordRequests).toHaveLength(1)
    const cookie = await logIn(app, 'admin@localhost.localdomain', 'an admin password')
    const user = await json(await makeClient(app, cookie).fetch('/api/auth/user'))
    expect(user).toMatchObject({ isAdmin: true })
    const { id } = user as { id: string }
    expect(await app.deps.db.select().from(auditLog)).toMatchObject([
      {
        action: 'set-role',
        actor: null,
        subject: id,
        ipAddress: null,
        details: { from: 'user', to: 'admin' },
      },
    ])
  })

  it('can be an existing account, whose role change is audited', async () => {
    const { db, config } = app.deps
    const deletedAdmins = await db.delete(users).where(eq(users.role, 'admin')).returning()
    expect(deletedAdmins).toHaveLength(1)
    const entryCountBefore = await db.$count(auditLog)
    const { id } = await makePerson(app)
    await db.update(users).set({ email: config.adminEmail }).where(eq(users.id, id))
    await ensureAdministrator(app.deps, () => Promise.reject(new Error('nobody asks for it')))
    await ensureAdministrator(app.deps, () => Promise.reject(new Error('nobody asks for it')))
    const lines = await db.select().from(auditLog).orderBy(auditLog.id).offset(entryCountBefore)
    expect(lines).toMatchObject([{ action: 'set-role', subject: id }])
  })
})
