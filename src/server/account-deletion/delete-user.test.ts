import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { requestUserDeletion } from '../../../tests/support/admin-requests.ts'
import {
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  type StartedUpload,
  signUp,
  startUpload,
} from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { queryPlansOf } from '../../../tests/support/query-plans.ts'
import { listReports, reportLink } from '../../../tests/support/takedowns.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError, requestConfirm } from '../../../tests/support/upload-requests.ts'
import type { AuditEntry } from '../../shared/contract/admin.ts'
import { deletionReceipts, files, pendingSignups, removals, reports, users } from '../db/schema.ts'
import { expireFiles } from '../files/expire-files.ts'
import { compareStorage } from '../jobs/compare-storage.ts'
import { createStores } from '../storage/stores.ts'
import { retryRemovals } from '../uploads/end-uploads.ts'
import { deleteUser } from './delete-user.ts'

const minute = 60_000
const day = 24 * 60 * minute

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
afterEach(async () => {
  await retryRemovals(app.deps)
})
afterAll(() => app.close())

function deletePerson({ id, email }: Person) {
  return requestUserDeletion(admin, id, { email })
}

async function userExists({ id }: Person) {
  return (await app.deps.db.$count(users, eq(users.id, id))) === 1
}

async function listStorageKeys(person: Person) {
  const rows = await app.deps.db
    .select({ id: files.id, key: files.storageKey })
    .from(files)
    .where(eq(files.ownerId, person.id))
  return new Map(rows.map(({ id, key }) => [id, key]))
}

async function fetchStatus(path: string, { fetch } = makeClient(app)) {
  const response = await fetch(path)
  await response.arrayBuffer()
  return response.status
}

async function upload(person: Person): Promise<StartedUpload> {
  const newUpload = await startUpload(person, { size: 1000 })
  await putBytes(newUpload, new Uint8Array(1000))
  return newUpload
}

/**
 * Returns every database column that contains the user's id or email address, except those that
 * keep it on purpose.
 */
async function findTraces({ id, email }: Person) {
  const allowedColumns = [
    // Audit log entries by and about the user are kept, as are the receipts, which prove that the
    // bytes were deleted.
    'audit_log.actor',
    'audit_log.subject',
    'deletion_receipts.owner_id',
    // Kept until the bytes are removed.
    'removals.owner_id',
  ]
  const { rows: columns } = await app.pool.query<{ table: string; column: string }>(`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'text'`)
  const traces: string[] = []
  for (const { table, column } of columns) {
    if (allowedColumns.includes(`${table}.${column}`)) continue
    const text = `select 1 from "${table}" where "${column}" in ($1, $2) limit 1`
    const { rows } = await app.pool.query(text, [id, email])
    if (rows.length > 0) traces.push(`${table}.${column}`)
  }
  return traces
}

describe('DELETE /api/admin/users/{id}', () => {
  it('ends links, sessions and uploads immediately and leaves no rows or bytes', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const bob = await makePerson(app)
    const expiredFile = await makeFile(ada)
    await ada.fetch('/api/preferences', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mailOnFirstDownload: true }),
    })
    app.clock.advance(31 * day)
    await expireFiles(app.deps)
    Object.assign(ada, makeClient(app, await logIn(app, ada.email, ada.password)))
    Object.assign(bob, makeClient(app, await logIn(app, bob.email, bob.password)))
    Object.assign(admin, makeClient(app, await logIn(app, admin.email, admin.password)))
    const deletedFile = await makeFile(ada)
    await ada.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })
    const [firstFile, secondFile, otherFile] = [
      await makeFile(ada),
      await makeFile(ada),
      await makeFile(bob),
    ]
    expect(await fetchStatus(`/api/download/${firstFile.shortCode}`)).toBe(200)
    await ada.fetch('/api/branding', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Pine', accent: null, message: '' }),
    })
    await makeClient(app).post('/api/auth/forgot-password', { email: ada.email })
    const openUpload = await upload(ada)
    const keys = await listStorageKeys(ada)

    const response = await deletePerson(ada)
    expect(response.status).toBe(200)
    expect(await json(response)).toEqual({
      message: `${ada.email} is deleted, with 3 files. Links have ended, and the bytes are being removed.`,
      deletedFiles: 3,
    })

    for (const { shortCode } of [firstFile, secondFile]) {
      for (const path of [`/api/download/${shortCode}`, `/api/links/${shortCode}`])
        expect(await fetchStatus(path)).toBe(404)
    }
    expect(await fetchStatus('/api/files', ada)).toBe(401)
    expect((await requestConfirm(ada, openUpload.cloudKey)).status).toBe(401)
    expect((await putBytes(openUpload, new Uint8Array(1000))).status).toBe(404)
    const { email, password } = ada
    const loginResponse = await makeClient(app).post('/api/auth/login', { email, password })
    expect(loginResponse.status).toBe(401)
    expect(await findTraces(ada)).toEqual([])
    const [receipt, ...otherEmails] = await app.sendQueuedEmails()
    expect(receipt?.to.address).toBe(ada.email)
    expect(receipt?.content.text).toContain('the administrator deleted your account')
    expect(receipt?.content.text).toContain('3 files, all links and requests')
    // The reset email is dropped, because the account no longer exists.
    expect(otherEmails).toEqual([])

    // The bytes of these two files were removed with the user; those of the expired file were
    // removed earlier.
    const storedKeys = [firstFile, secondFile]
      .map(({ id }) => keys.get(id) ?? '')
      .concat(openUpload.cloudKey)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 0, failed: 0 })
    for (const key of storedKeys) expect(await app.storage.storedSize(key)).toBeNull()
    const receipts = await app.deps.db
      .select()
      .from(deletionReceipts)
      .where(eq(deletionReceipts.ownerId, ada.id))
    const receiptKeys = new Map(receipts.map(({ fileId, storageKey }) => [fileId, storageKey]))
    // The user had already deleted this file.
    expect(receiptKeys.delete(deletedFile.id)).toBe(true)
    expect(receiptKeys).toEqual(keys)
    expect(keys.has(expiredFile.id)).toBe(true)
    expect(receipts.filter(({ originalName }) => originalName !== null)).toEqual([])
    app.clock.advance(2 * day)
    expect(await compareStorage(app.deps)).toMatchObject({ removed: 0, failed: 0, missing: 0 })
    expect(await fetchStatus(`/api/download/${otherFile.shortCode}`)).toBe(200)
  })

  it('removes closed reports on the files but keeps open ones, to allow their content to be blocked', async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const visitor = makeClient(app)
    const [closedCaseFile, openCaseFile, otherFile] = [
      await makeFile(ada),
      await makeFile(ada),
      await makeFile(bob),
    ]
    for (const { shortCode } of [closedCaseFile, openCaseFile, otherFile])
      await reportLink(visitor, shortCode)
    for (const { shortCode } of [closedCaseFile, otherFile]) {
      const openReport = (await listReports(admin)).find((report) => report.shortCode === shortCode)
      await admin.post(`/api/admin/reports/${openReport?.id}/dismiss`)
    }
    expect((await deletePerson(ada)).status).toBe(200)
    const remainingReports = await app.deps.db
      .select({ shortCode: reports.shortCode })
      .from(reports)
    expect(remainingReports.map(({ shortCode }) => shortCode).toSorted()).toEqual(
      [openCaseFile.shortCode, otherFile.shortCode].toSorted(),
    )
    expect(await findTraces(ada)).toEqual(['reports.owner_id'])
  })

  it('counts the visible files but not those that the user had already deleted', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    await makeFile(ada)
    const key = (await listStorageKeys(ada)).get(file.id) ?? ''
    await app.deps.db
      .update(files)
      .set({ deletedAt: app.clock(), purgingAt: app.clock() })
      .where(eq(files.id, file.id))
    expect(await json(await deletePerson(ada))).toMatchObject({ deletedFiles: 1 })
    expect(await app.storage.storedSize(key)).toBeNull()
  })

  it('retries removing bytes after a storage failure, and then writes receipts', async () => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    const failingStores = createStores({
      ...app.storage,
      remove: () => Promise.reject(new Error('EIO')),
    })
    const actor = { id: admin.id, ipAddress: '127.0.0.1' }
    await deleteUser({ ...app.deps, stores: failingStores }, ada.id, actor, () => undefined)
    expect(await userExists(ada)).toBe(false)
    const findReceipts = () =>
      app.deps.db.select().from(deletionReceipts).where(eq(deletionReceipts.fileId, file.id))
    expect(await findReceipts()).toEqual([])
    app.clock.advance(2 * minute)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 1, failed: 0 })
    expect(await findReceipts()).toMatchObject([{ ownerId: ada.id, purgedAt: app.clock() }])
  })

  it('accepts the email address in any case and with surrounding spaces', async () => {
    const ada = await makePerson(app)
    const response = await requestUserDeletion(admin, ada.id, {
      email: ` ${ada.email.toUpperCase()} `,
    })
    expect(response.status).toBe(200)
    expect(await userExists(ada)).toBe(false)
  })

  it.each([undefined, {}])('deletes by id alone if the body has no email (%j)', async (body) => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const file = await makeFile(ada)
    const response = await requestUserDeletion(admin, ada.id, body)
    expect(response.status).toBe(200)
    expect(await json(response)).toMatchObject({ deletedFiles: 1 })
    expect(await userExists(ada)).toBe(false)
    expect(await fetchStatus(`/api/download/${file.shortCode}`)).toBe(404)
    expect(await userExists(bob)).toBe(true)
  })

  it.each([
    { email: '' },
    { email: 'somebody@else.example' },
    { email: null },
    { email: 7 },
    { email: 'x'.repeat(255) },
    { email: '\0' },
    [],
    null,
    'text',
  ])('rejects %j as the email address and deletes nothing', async (body) => {
    const ada = await makePerson(app)
    const file = await makeFile(ada)
    await expectError(await requestUserDeletion(admin, ada.id, body), 400, 'INVALID_INPUT')
    expect(await userExists(ada)).toBe(true)
    expect(await fetchStatus(`/api/download/${file.shortCode}`)).toBe(200)
    expect(await fetchStatus('/api/files', ada)).toBe(200)
  })

  it('rejects unknown fields', async () => {
    const ada = await makePerson(app)
    const body = { email: ada.email, force: true }
    await expectError(await requestUserDeletion(admin, ada.id, body), 400, 'INVALID_INPUT')
    expect(await userExists(ada)).toBe(true)
  })

  it('returns an error for an unknown user', async () => {
    for (const id of ['nobody', "' or true --", '../stats'])
      await expectError(
        await requestUserDeletion(admin, id, { email: 'a@b.example' }),
        404,
        'USER_NOT_FOUND',
      )
    for (const id of ['\0', 'x'.repeat(65)])
      await expectError(
        await requestUserDeletion(admin, id, { email: 'a@b.example' }),
        400,
        'INVALID_INPUT',
      )
  })

  it('rejects deleting the administrator, whatever the body', async () => {
    for (const body of [undefined, { email: admin.email }, { email: 'x' }])
      await expectError(await requestUserDeletion(admin, admin.id, body), 409, 'ADMIN_STAYS')
    expect(await userExists(admin)).toBe(true)
  })

  it('deletes a user once, regardless of the number of requests', async () => {
    const ada = await makePerson(app)
    await makeFile(ada)
    const responses = await Promise.all([deletePerson(ada), deletePerson(ada), deletePerson(ada)])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
    await expectError(await deletePerson(ada), 404, 'USER_NOT_FOUND')
    const lines = await json<AuditEntry[]>(
      await admin.fetch(`/api/admin/audit?action=delete-user&search=${ada.email}`),
    )
    expect(lines).toHaveLength(1)
  })

  it('frees the email address for a new account without the old data', async () => {
    const ada = await makePerson(app)
    await makeFile(ada)
    const { email, password } = ada
    await deletePerson(ada)
    const form = { firstName: 'Ada', lastName: 'Two', email, password, confirmPassword: password }
    expect((await makeClient(app).post('/api/auth/signup', form)).status).toBe(200)
    const newUser = makeClient(app, await logIn(app, email, password))
    expect(await json(await newUser.fetch('/api/files'))).toEqual([])
    expect(await json(await newUser.fetch('/api/auth/user'))).toMatchObject({ name: 'Ada Two' })
  })

  it('deletes thousands of files in batches of a thousand and leaves the remaining bytes to the job', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 1500)
    const plans = await queryPlansOf(app.pool, async () => {
      expect(await json(await deletePerson(ada))).toMatchObject({ deletedFiles: 1500 })
    })
    expect(plans.filter((plan) => plan.includes('delete from "files"'))).toHaveLength(2)
    expect(await app.deps.db.$count(removals, eq(removals.ownerId, ada.id))).toBe(500)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 500, failed: 0 })
    expect(await app.deps.db.$count(deletionReceipts, eq(deletionReceipts.ownerId, ada.id))).toBe(
      1500,
    )
  })

  it('keeps the user and earlier actions readable in the audit log', async () => {
    const ada = await makePerson(app)
    await makeFile(ada)
    await admin.post(`/api/admin/toggle-user-tier/${ada.id}`)
    await ada.post('/api/auth/toggle-premium')
    await upload(ada)
    await deletePerson(ada)
    const lines = await json<AuditEntry[]>(
      await admin.fetch(`/api/admin/audit?search=${ada.email}`),
    )
    expect(lines).toMatchObject([
      {
        actor: admin.email,
        action: 'delete-user',
        subject: ada.email,
        ipAddress: '127.0.0.1',
        details: { email: ada.email, deletedFiles: 1, endedUploads: 1 },
      },
      { actor: ada.email, action: 'set-tier', subject: ada.email },
      { actor: admin.email, action: 'set-tier', subject: ada.email },
    ])
  })
})

describe('a deleted user', () => {
  it('leaves no pending signup for the email address', async () => {
    const verifyingApp = await startTestApp({ env: { REQUIRE_EMAIL_VERIFICATION: 'on' } })
    try {
      const { db } = verifyingApp.deps
      const { email } = await signUp(verifyingApp)
      const { email: otherEmail } = await signUp(verifyingApp)
      const id = 'ada'
      const createdAt = verifyingApp.clock()
      await db.insert(users).values({ id, email, name: 'Ada', createdAt, updatedAt: createdAt })
      const actor = { id: 'admin', ipAddress: '127.0.0.1' }
      await deleteUser(verifyingApp.deps, id, actor, () => undefined)
      const remainingSignups = await db.select({ email: pendingSignups.email }).from(pendingSignups)
      expect(remainingSignups).toEqual([{ email: otherEmail }])
      // The deleted user gets no receipt either, because the address is unverified.
      expect((await verifyingApp.sendQueuedEmails()).map(({ to }) => to.address)).toEqual([
        otherEmail,
      ])
    } finally {
      await verifyingApp.close()
    }
  })
})
