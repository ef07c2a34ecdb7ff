import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError } from '../../../tests/support/upload-requests.ts'
import { type AuditEntry, maxTestUploadSize } from '../../shared/contract/admin.ts'
import { auditLog, removals } from '../db/schema.ts'
import { counter } from '../http/rate-limit.ts'
import { compareStorage } from '../jobs/compare-storage.ts'
import { createStores } from '../storage/stores.ts'
import { reportOverdueRemovals, retryRemovals } from '../uploads/end-uploads.ts'
import { testStorage } from './test-storage.ts'

const minute = 60_000

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  admin = await makePerson(app, { role: 'admin' })
})
afterEach(async () => {
  await app.deps.db.delete(removals)
})
afterAll(() => app.close())

describe('GET /api/admin/test-s3-connection', () => {
  const runTest = async () => {
    const response = await admin.fetch('/api/admin/test-s3-connection')
    expect(response.status).toBe(200)
    return json<{ connected: boolean; message: string }>(response)
  }

  it('tests the disk and names its folder', async () => {
    const { dataDir } = app.deps.config
    expect(await runTest()).toEqual({
      connected: true,
      message: `Mayfly wrote and removed a test object in the folder ${dataDir}, read from it and listed it.`,
    })
  })

  it('names the failed step and says how to fix it if the folder is missing', async () => {
    const { dataDir } = app.deps.config
    const [folder, movedFolder] = [join(dataDir, 'uploads'), join(dataDir, 'aside')]
    await rename(folder, movedFolder)
    try {
      expect(await runTest()).toEqual({
        connected: false,
        message:
          `Mayfly could not write to and remove from the folder ${dataDir} (ENOENT). ` +
          'Restore the folder, or set DATA_DIR to its new place, and restart Mayfly.',
      })
    } finally {
      await rename(movedFolder, folder)
    }
    expect((await runTest()).connected).toBe(true)
    const linesResponse = await admin.fetch(
      `/api/admin/audit?action=test-storage&search=${admin.email}`,
    )
    expect((await json<AuditEntry[]>(linesResponse)).map(({ details }) => details)).toEqual([
      { store: 'disk', connected: true },
      { store: 'disk', connected: false },
    ])
  })

  it('times out on hanging storage and names the step', async () => {
    const hangingStore = { ...app.storage, installation: () => new Promise<never>(() => {}) }
    const deps = { ...app.deps, stores: createStores(hangingStore) }
    expect(await testStorage(deps, { id: admin.id, ipAddress: '127.0.0.1' }, 2000)).toEqual({
      connected: false,
      message: expect.stringMatching(/could not read from the folder .* \(no answer in time\)/),
    })
  })
})

it.each(['cross-site', 'same-site'])("a %s page can't start a storage test", async (site) => {
  const entryCountBefore = await app.deps.db.$count(auditLog)
  const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' }
  const rejectedResponse = await admin.fetch('/api/admin/test-s3-connection', { headers })
  await expectError(rejectedResponse, 403, 'FOREIGN_ORIGIN')
  expect(await app.deps.db.$count(auditLog)).toBe(entryCountBefore)
  for (const allowedSite of ['same-origin', 'none']) {
    const init = { headers: { 'sec-fetch-site': allowedSite } }
    expect((await admin.fetch('/api/admin/test-s3-connection', init)).status).toBe(200)
  }
})

describe('POST /api/admin/test-s3-upload', () => {
  const request = { fileName: 'test.bin', fileSize: 1000, fileType: 'application/x-test' }
  const requestTestUpload = (changes: object = {}) =>
    admin.post('/api/admin/test-s3-upload', { ...request, ...changes })
  const startTest = async () => {
    const response = await requestTestUpload()
    expect(response.status).toBe(200)
    return json<{ uploadUrl: string; testKey: string }>(response)
  }
  const putTestBytes = (url: string, size = 1000, type = request.fileType) =>
    fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: new Uint8Array(size) })

  it("accepts exactly the announced number of bytes, which don't become a file", async () => {
    const { uploadUrl, testKey } = await startTest()
    expect((await putTestBytes(uploadUrl, 1001)).status).toBe(413)
    expect((await putTestBytes(uploadUrl, 999)).status).toBe(400)
    expect((await putTestBytes(uploadUrl, 1000, 'text/html')).status).toBe(403)
    expect((await putTestBytes(uploadUrl)).status).toBe(200)
    expect(await app.storage.storedSize(testKey)).toBe(1000)
    const confirmResponse = await admin.post('/api/files/confirm-upload', { cloudKey: testKey })
    await expectError(confirmResponse, 404, 'UPLOAD_NOT_FOUND')
    expect(await json(await admin.fetch('/api/files'))).toEqual([])
    const path = `/api/admin/audit?action=test-storage-upload&search=${admin.email}`
    const details = { fileName: 'test.bin', size: 1000, mimeType: request.fileType, store: 'disk' }
    expect(await json<AuditEntry[]>(await admin.fetch(path))).toMatchObject([
      { actor: admin.email, subject: null, ipAddress: '127.0.0.1', details },
    ])
  })

  it('expires after ten minutes, and any server removes its bytes within the hour', async () => {
    const { uploadUrl, testKey } = await startTest()
    await putTestBytes(uploadUrl)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 0, failed: 0 })
    expect(await compareStorage(app.deps)).toMatchObject({ removed: 0, failed: 0, missing: 0 })
    app.clock.advance(10 * minute)
    expect((await putTestBytes(uploadUrl)).status).toBe(403)
    app.clock.advance(5 * minute)
    expect(await reportOverdueRemovals(app.deps)).toBe(0)
    // If a server is killed during the test, only its row in `removals` is left, and any other
    // server can process it.
    expect(await retryRemovals(app.deps)).toEqual({ removed: 1, failed: 0 })
    expect(await app.storage.storedSize(testKey)).toBeNull()
    expect(await app.deps.db.$count(removals)).toBe(0)
    expect(await compareStorage(app.deps)).toMatchObject({ removed: 0, failed: 0, missing: 0 })
  })

  it('leaves nothing behind if no bytes arrive', async () => {
    await startTest()
    app.clock.advance(15 * minute)
    expect(await retryRemovals(app.deps)).toEqual({ removed: 1, failed: 0 })
  })

  it.each([
    { fileSize: 0 },
    { fileSize: -1 },
    { fileSize: 1.5 },
    { fileSize: '1000' },
    { fileSize: maxTestUploadSize + 1 },
    { fileSize: undefined },
    { fileName: '' },
    { fileName: 'x'.repeat(1025) },
    { fileName: undefined },
    { fileType: 'no type' },
    { fileType: 7 },
  ])('rejects %j without signing a URL', async (changes) => {
    await expectError(await requestTestUpload(changes), 400, 'INVALID_INPUT')
    expect(await app.deps.db.$count(removals)).toBe(0)
  })

  it('accepts the maximum test size', async () => {
    expect((await requestTestUpload({ fileSize: maxTestUploadSize })).status).toBe(200)
  })
})

it("connection tests are limited to 60 an hour, and rejected ones aren't logged", async () => {
  const limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on' } })
  try {
    const administrator = await makePerson(limitedApp, { role: 'admin' })
    const { db } = limitedApp.deps
    expect((await administrator.fetch('/api/admin/test-s3-connection')).status).toBe(200)
    const { key } = counter('storageTestsByUser', administrator.id)
    await limitedApp.pool.query('update rate_limits set points = 59 where key = $1', [key])
    expect((await administrator.fetch('/api/admin/test-s3-connection')).status).toBe(200)
    const lineCount = await db.$count(auditLog)
    const rejectedResponse = await administrator.fetch('/api/admin/test-s3-connection')
    await expectError(rejectedResponse, 429, 'TOO_MANY_REQUESTS')
    expect(await db.$count(auditLog)).toBe(lineCount)
  } finally {
    await limitedApp.close()
  }
})

it('storage tests are limited to 20 an hour', async () => {
  const limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on' } })
  try {
    const administrator = await makePerson(limitedApp, { role: 'admin' })
    const request = { fileName: 'test.bin', fileSize: 1, fileType: 'text/plain' }
    for (let index = 0; index < 20; index += 1)
      expect((await administrator.post('/api/admin/test-s3-upload', request)).status).toBe(200)
    const rejectedResponse = await administrator.post('/api/admin/test-s3-upload', request)
    await expectError(rejectedResponse, 429, 'TOO_MANY_REQUESTS')
  } finally {
    await limitedApp.close()
  }
})
