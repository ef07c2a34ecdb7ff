import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { confirmUserDeletion } from '../../../tests/support/admin-requests.ts'
import { type Client, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectRefusal } from '../../../tests/support/upload-requests.ts'
import { auditLog } from '../db/schema.ts'

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(() => app.close())

describe.each<[string, (who: Client) => Promise<Response>, number]>([
  ['DELETE /api/admin/users/{id}', (who) => confirmUserDeletion(who, 'nobody'), 404],
  ['POST cleanup-expired', (who) => who.post('/api/admin/cleanup-expired'), 200],
  ['POST sanitize-filenames', (who) => who.post('/api/admin/sanitize-filenames'), 200],
  ['POST expire-files', (who) => who.post('/api/admin/expire-files'), 200],
  ['POST expire-trials', (who) => who.post('/api/admin/expire-trials'), 200],
  ['GET test-s3-connection', (who) => who.fetch('/api/admin/test-s3-connection'), 200],
  ['POST test-s3-upload', (who) => who.post('/api/admin/test-s3-upload', {}), 400],
])('%s', (_, ask, admitted) => {
  it('admits only the administrator', async () => {
    const before = await app.deps.db.$count(auditLog)
    expect((await ask(makeClient(app))).status).toBe(401)
    for (const tier of ['free', 'premium'] as const) {
      await expectRefusal(await ask(await makePerson(app, { tier })), 403, 'FORBIDDEN')
    }
    expect(await app.deps.db.$count(auditLog)).toBe(before)
    expect((await ask(admin)).status).toBe(admitted)
  })
})
