import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listKeys, makeKey, revokeKey, withKey } from '../../../tests/support/keys.ts'
import {
  expectOk,
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  startUpload,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  abortUpload,
  requestConfirm,
  requestParts,
} from '../../../tests/support/upload-requests.ts'
import { keyScopes, maxKeysPerUser } from '../../shared/rules/accounts/api-key.ts'
import { apiKeys, auditLog, sessions } from '../db/schema.ts'

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app)
})
afterAll(() => app.close())

function program(key: string) {
  return withKey(makeClient(app), key)
}

const minuteMs = 60_000

describe('an API key', () => {
  it('is shown once, and stored as a hash', async () => {
    const { key, ...created } = await makeKey(owner, { scopes: ['files:write', 'files:read'] })
    expect(key).toMatch(/^mfy_\w{38}$/)
    expect(created).toMatchObject({
      name: 'Backup',
      prefix: key.slice(0, 8),
      scopes: ['files:read', 'files:write'],
      createdAt: app.clock().toISOString(),
      expiresAt: null,
      lastUsedAt: null,
    })
    const listed = await owner.fetch('/api/keys')
    const text = await listed.text()
    expect(text).toContain(created.id)
    expect(text).not.toContain(key)
    const rows = await app.deps.db.select().from(apiKeys)
    expect(JSON.stringify(rows)).not.toContain(key)
  })

  it("uploads into its owner's account, without a session", async () => {
    const writer = await makePerson(app)
    const { key } = await makeKey(writer)
    const sessionCount = await app.deps.db.$count(sessions)
    const file = await makeFile(program(key))
    expect(await json(await writer.fetch('/api/files'))).toMatchObject([{ id: file.id }])
    expect(await app.deps.db.$count(sessions)).toBe(sessionCount)
  })

  it('counts instead of a session, whatever the cookies', async () => {
    const { key } = await makeKey(await makePerson(app))
    expect(await json(await withKey(owner, key).fetch('/api/files'))).toEqual([])
    const { status } = await withKey(owner, 'mfy_wrong').fetch('/api/files')
    expect(status).toBe(401)
  })

  it('works from a page of another origin, such as a browser extension', async () => {
    const { key } = await makeKey(owner)
    const headers = { origin: 'chrome-extension://abc' }
    const init = { method: 'DELETE', headers }
    expect((await program(key).fetch('/api/files/expired/bulk', init)).status).toBe(200)
  })

  it('records its use at most once a minute', async () => {
    const user = await makePerson(app)
    const { key } = await makeKey(user)
    const firstUse = app.clock().toISOString()
    const readLastUse = async () => (await listKeys(user))[0]?.lastUsedAt
    await program(key).fetch('/api/files')
    app.clock.advance(minuteMs - 1)
    await program(key).fetch('/api/files')
    expect(await readLastUse()).toBe(firstUse)
    app.clock.advance(1)
    await Promise.all([program(key).fetch('/api/files'), program(key).fetch('/api/files')])
    expect(await readLastUse()).toBe(app.clock().toISOString())
  })

  it('ends when it expires', async () => {
    const expiresAt = new Date(app.clock().getTime() + minuteMs).toISOString()
    const { key } = await makeKey(owner, { expiresAt })
    expect((await program(key).fetch('/api/files')).status).toBe(200)
    app.clock.advance(minuteMs)
    const response = await program(key).fetch('/api/files')
    expect([response.status, await response.json()]).toEqual([
      401,
      { code: 'UNAUTHORIZED', message: 'This API key is wrong, revoked or expired.' },
    ])
  })

  it('ends when it is revoked, which only its owner can do', async () => {
    const { id, key } = await makeKey(owner)
    expect((await revokeKey(await makePerson(app), id)).status).toBe(404)
    expect((await program(key).fetch('/api/files')).status).toBe(200)
    expect((await revokeKey(owner, id)).status).toBe(200)
    expect((await program(key).fetch('/api/files')).status).toBe(401)
    expect((await revokeKey(owner, id)).status).toBe(404)
    expect((await revokeKey(owner, 'unknown')).status).toBe(404)
  })

  it('is refused at the next call of a running upload when it is revoked', async () => {
    const { id, key } = await makeKey(owner)
    const upload = await startUpload(program(key), { size: 3 })
    await expectOk(await putBytes(upload, Buffer.from('abc')))
    await revokeKey(owner, id)
    expect((await requestParts(program(key), upload.cloudKey, [1])).status).toBe(401)
    expect((await requestConfirm(program(key), upload.cloudKey)).status).toBe(401)
    expect((await abortUpload(owner, upload.cloudKey)).status).toBe(200)
  })

  it('is in the audit log when it is created and revoked', async () => {
    const user = await makePerson(app)
    const { id, prefix } = await makeKey(user)
    await revokeKey(user, id)
    const entries = await app.deps.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.actor, user.id))
      .orderBy(auditLog.id)
    const details = { name: 'Backup', prefix }
    expect(entries).toMatchObject([
      { action: 'create-key', subject: user.id, ipAddress: '127.0.0.1', details },
      { action: 'revoke-key', subject: user.id, ipAddress: '127.0.0.1', details },
    ])
  })

  it('is in no line of the log', async () => {
    const { key } = await makeKey(owner)
    await program(key).fetch('/api/files')
    await program(key).fetch('/api/keys')
    await program(`${key}x`).fetch('/api/files')
    expect(JSON.stringify(app.logLines)).not.toContain(key.slice(8))
  })

  it('is one of 50 at most, also in parallel', async () => {
    const user = await makePerson(app)
    const requests = Array.from({ length: maxKeysPerUser + 3 }, () =>
      user.post('/api/keys', { name: 'Backup', scopes: keyScopes }),
    )
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(maxKeysPerUser)
    expect(statuses.filter((status) => status === 409)).toHaveLength(3)
  })

  it.each([
    { name: '' },
    { name: 'x'.repeat(61) },
    { name: 'two\nlines' },
    { scopes: [] },
    { scopes: ['admin'] },
    { expiresAt: 'soon' },
    { expiresAt: '2020-01-01T00:00:00Z' },
  ])('is refused with %j', async (changes) => {
    const body = { name: 'Backup', scopes: ['files:read'], ...changes }
    const response = await owner.post('/api/keys', body)
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'INVALID_INPUT' }])
  })
})
