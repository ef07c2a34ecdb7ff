import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, putBytes, startUpload } from '../../../tests/support/make.ts'
import {
  expectResumable,
  pathsOnDisk,
  sendParts,
  startMultipartUpload,
} from '../../../tests/support/small-multipart-uploads.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  abortUpload,
  expectError,
  requestConfirm,
  requestPartList,
  requestUpload,
} from '../../../tests/support/upload-requests.ts'
import { uploads } from '../db/schema.ts'
import { compareStorage } from '../jobs/compare-storage.ts'
import { sweepUploads } from './end-uploads.ts'

const minute = 60_000
const hour = 3_600_000
const day = 24 * 3_600_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function text(length: number) {
  return new Uint8Array(length).fill(65)
}

describe('idle uploads', () => {
  it('are removed after 24 hours and not before', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const oldUpload = await startUpload(person, { size: 1 })
    await putBytes(oldUpload, text(1))
    app.clock.advance(1000)
    const recentUpload = await startUpload(person, { size: 1 })
    await putBytes(recentUpload, text(1))
    app.clock.advance(day - 999)

    await Promise.all([sweepUploads(app.deps), sweepUploads(app.deps)])
    expect(await app.storage.storedSize(oldUpload.cloudKey)).toBeNull()
    expect((await requestConfirm(person, oldUpload.cloudKey)).status).toBe(404)
    expect((await requestConfirm(person, recentUpload.cloudKey)).status).toBe(200)
  })

  it('are removed with all their parts', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const oldUpload = await startMultipartUpload(app, person)
    await sendParts(person, oldUpload, [2])
    app.clock.advance(1000)
    const recentUpload = await startMultipartUpload(app, person)
    await sendParts(person, recentUpload, [2])
    app.clock.advance(24 * hour - 999)
    await sweepUploads(app.deps)
    expect(await pathsOnDisk(app, oldUpload.cloudKey)).toEqual([])
    await expectError(await requestPartList(person, oldUpload.cloudKey), 404, 'UPLOAD_NOT_FOUND')
    await expectResumable(app, person, recentUpload)
  })
})

describe('parts without a database row', () => {
  it('are removed after 24 hours', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const [lostUpload, keptUpload] = [
      await startMultipartUpload(app, person),
      await startMultipartUpload(app, person),
    ]
    for (const upload of [lostUpload, keptUpload]) await sendParts(person, upload, [1, 2])
    await app.deps.db.delete(uploads).where(eq(uploads.storageKey, lostUpload.cloudKey))
    const originalTime = app.clock()
    // Objects on disk have real timestamps, so the test sets its clock relative to the actual time.
    app.clock.set(new Date(Date.now() + 24 * hour + minute))
    await compareStorage(app.deps)
    app.clock.set(originalTime)
    expect(await pathsOnDisk(app, lostUpload.cloudKey)).toEqual([])
    await expectResumable(app, person, keptUpload)
  })
})

describe('POST /api/files/abort-upload', () => {
  it('frees the slot and removes the bytes', async () => {
    const person = await makePerson(app)
    const uploads = []
    for (let n = 0; n < 3; n += 1) uploads.push(await startUpload(person, { size: 1 }))
    const [first] = uploads
    if (!first) throw new Error('no upload')
    await putBytes(first, text(1))
    expect((await requestUpload(person)).status).toBe(403)

    expect((await abortUpload(person, first.cloudKey)).status).toBe(200)
    expect(await app.storage.storedSize(first.cloudKey)).toBeNull()
    expect((await requestUpload(person)).status).toBe(200)

    expect((await abortUpload(person, first.cloudKey)).status).toBe(404)
    expect((await requestConfirm(person, first.cloudKey)).status).toBe(404)
    const lateResponse = await putBytes(first, text(1))
    expect(lateResponse.status).toBe(404)
    expect(await app.storage.storedSize(first.cloudKey)).toBeNull()
  })

  it('leaves a confirmed file unchanged', async () => {
    const person = await makePerson(app)
    const upload = await startUpload(person, { size: 1 })
    await putBytes(upload, text(1))
    await requestConfirm(person, upload.cloudKey)
    expect((await abortUpload(person, upload.cloudKey)).status).toBe(404)
    expect(await app.storage.storedSize(upload.cloudKey)).toBe(1)
  })

  it('makes a parallel confirm fail', async () => {
    const person = await makePerson(app)
    const upload = await startUpload(person, { size: 1 })
    await putBytes(upload, text(1))
    const { seal } = app.storage
    const sealSpy = vi
      .spyOn(app.deps.stores.current, 'seal')
      .mockImplementationOnce(async (...args) => {
        expect((await abortUpload(person, upload.cloudKey)).status).toBe(200)
        return seal(...args)
      })
    await expectError(await requestConfirm(person, upload.cloudKey), 409, 'UPLOAD_SUPERSEDED')
    expect(sealSpy).toHaveBeenCalledOnce()
    sealSpy.mockRestore()
  })
})
