import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestUserDeletion } from '../../../tests/support/admin-requests.ts'
import { type Client, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'
import { auditLog } from '../db/schema.ts'

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(() => app.close())

describe.each<[string, (client: Client) => Promise<Response>, number]>([
  ['DELETE /api/admin/users/{id}', (client) => requestUserDeletion(client, 'nobody'), 404],
  ['POST cleanup-expired', (client) => client.post('/api/admin/cleanup-expired'), 200],
  ['POST sanitize-filenames', (client) => client.post('/api/admin/sanitize-filenames'), 200],
  ['POST expire-files', (client) => client.post('/api/admin/expire-files'), 200],
  ['POST expire-trials', (client) => client.post('/api/admin/expire-trials'), 200],
  ['GET test-s3-connection', (client) => client.fetch('/api/admin/test-s3-connection'), 200],
  ['POST test-s3-upload', (client) => client.post('/api/admin/test-s3-upload', {}), 400],
])('%s', (_, request, adminStatus) => {
  it('admits only the administrator', async () => {
    const entryCountBefore = await app.deps.db.$count(auditLog)
    expect((await request(makeClient(app))).status).toBe(401)
    for (const tier of ['free', 'premium'] as const) {
      await expectError(await request(await makePerson(app, { tier })), 403, 'FORBIDDEN')
    }
    expect(await app.deps.db.$count(auditLog)).toBe(entryCountBefore)
    expect((await request(admin)).status).toBe(adminStatus)
  })
})
