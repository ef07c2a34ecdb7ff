import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  listParts,
  makeClient,
  makeFile,
  makePerson,
  putBytes,
  startUpload,
} from '../../../tests/support/make.ts'
import {
  expectResumable,
  partsWithoutChecksums,
  pathsOnDisk,
  sendAllParts,
  sendParts,
  startMultipartUpload,
} from '../../../tests/support/small-multipart-uploads.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  abortUpload,
  download,
  expectError,
  requestConfirm,
} from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { shortCodes } from '../db/schema.ts'
import { createStores } from '../storage/stores.ts'
import { confirmUpload } from './confirm-upload.ts'

const day = 24 * 3_600_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function text(length: number) {
  return new Uint8Array(length).fill(65)
}

describe('POST /api/files/confirm-upload', () => {
  it('creates a file with dates and a short code from the stored bytes', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const upload = await startUpload(person, { size: 5, days: '7', name: 'five.txt' })
    await putBytes(upload, text(5))
    const startedAt = app.clock().getTime()
    app.clock.advance(2500)
    const response = await requestConfirm(person, upload.cloudKey, {
      metadata: { size: 999, originalName: '../../etc/passwd' },
      uploadStartTime: startedAt,
    })
    expect(response.status).toBe(200)
    const now = app.clock().getTime()
    expect(await response.json()).toEqual({
      id: expect.any(String),
      originalName: 'five.txt',
      mimeType: 'text/plain',
      size: 5,
      shortCode: expect.stringMatching(/^\w{10}$/),
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 7 * day).toISOString(),
      maxLifetimeAt: new Date(now + 30 * day).toISOString(),
      downloadCount: 0,
      uploadDuration: 2.5,
      purgingAt: null,
      purgedAt: null,
      purgeDueAt: null,
      takenDownAt: null,
      takedownReason: null,
      sha256: null,
    })
  })

  it.each([
    ['a time before the upload', -day, 0],
    ['a time in the future', day, 0],
    ['an invalid time', 'yesterday', 0],
    ['a missing time', undefined, 0],
  ])('does not trust %s as the start time', async (_, start, seconds) => {
    const person = await makePerson(app)
    const upload = await startUpload(person, { size: 0 })
    await putBytes(upload, text(0))
    const uploadStartTime = typeof start === 'number' ? app.clock().getTime() + start : start
    const file = await json<File>(
      await requestConfirm(person, upload.cloudKey, { uploadStartTime }),
    )
    expect(file.uploadDuration).toBe(seconds)
  })

  it('never reuses a short code', async () => {
    const { shortCode: code } = await makeFile(await makePerson(app))
    const insertion = app.deps.db.insert(shortCodes).values({ code, issuedAt: app.clock() })
    await expect(insertion).rejects.toMatchObject({ cause: { constraint: 'short_codes_pkey' } })
  })

  it('holds no database connection while it removes wrong bytes', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const { max = 0 } = app.pool.options
    const uploads = await Promise.all(
      Array.from({ length: max }, async () => {
        const upload = await startUpload(person, { size: 3 })
        await putBytes(upload, text(3))
        return upload
      }),
    )
    const allRemoving = Promise.withResolvers<void>()
    let removeCallCount = 0
    const remove = async (key: string) => {
      removeCallCount += 1
      if (removeCallCount === max) allRemoving.resolve()
      await allRemoving.promise
      expect((await person.fetch('/api/files')).status).toBe(200)
      await app.storage.remove(key)
    }
    const deps = { ...app.deps, stores: createStores({ ...app.storage, remove }) }
    const claims = uploads.map(({ cloudKey }) => ({ cloudKey, sha256: 'a'.repeat(64) }))
    const confirms = claims.map((claim) => confirmUpload(deps, person.id, claim))
    for (const result of await Promise.allSettled(confirms)) {
      expect(result).toMatchObject({ reason: { code: 'CHECKSUM_MISMATCH' } })
    }
  })

  it('creates one file, however often it is called, even in parallel', async () => {
    const person = await makePerson(app)
    const upload = await startUpload(person, { size: 3 })
    await putBytes(upload, text(3))
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => requestConfirm(person, upload.cloudKey)),
    )
    const retryResponse = await person.post('/api/files', { cloudKey: upload.cloudKey })
    const files = await Promise.all(
      [...responses, retryResponse].map((response) => json<File>(response)),
    )
    expect(new Set(files.map(({ id, shortCode }) => `${id} ${shortCode}`)).size).toBe(1)
    expect(await json<File[]>(await person.fetch('/api/files'))).toHaveLength(1)
  })

  it('creates one file in the last free slot when called in parallel', async () => {
    const person = await makePerson(app)
    await Promise.all([makeFile(person), makeFile(person)])
    const upload = await startUpload(person, { size: 3 })
    await putBytes(upload, text(3))
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => requestConfirm(person, upload.cloudKey)),
    )
    const files = await Promise.all(responses.map((response) => json<File>(response)))
    expect(new Set(files.map(({ id }) => id)).size).toBe(1)
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  })

  it('is refused while bytes are missing, and keeps the stored bytes', async () => {
    const person = await makePerson(app)
    const upload = await startUpload(person, { size: 6 })
    const responseWithoutBytes = await requestConfirm(person, upload.cloudKey)
    expect(responseWithoutBytes.status).toBe(400)
    expect(await responseWithoutBytes.json()).toMatchObject({ code: 'UPLOAD_INCOMPLETE' })

    await putBytes(upload, text(6))
    expect((await requestConfirm(person, upload.cloudKey)).status).toBe(200)
  })

  it('creates an empty file', async () => {
    const file = await makeFile(await makePerson(app), { bytes: text(0) })
    expect(file.size).toBe(0)
  })

  it.each([
    ['nothing', 404],
    ['../../etc/passwd', 404],
    ['', 400],
    ['a\0b', 400],
    ['a\ud800', 400],
  ])('refuses the key %j', async (cloudKey, status) => {
    const response = await requestConfirm(await makePerson(app), cloudKey)
    expect(response.status).toBe(status)
  })

  it("answers 404 for another user's key, as an abort does, and leaves the upload unchanged", async () => {
    const [owner, other] = [await makePerson(app), await makePerson(app)]
    const upload = await startUpload(owner, { size: 2 })
    await putBytes(upload, text(2))
    for (const response of [
      await requestConfirm(other, upload.cloudKey),
      await abortUpload(other, upload.cloudKey),
    ]) {
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'UPLOAD_NOT_FOUND' })
    }
    expect((await requestConfirm(owner, upload.cloudKey)).status).toBe(200)
    expect((await requestConfirm(other, upload.cloudKey)).status).toBe(404)
  })
})

describe('the stored bytes', () => {
  it('never exceed the announced size, and never change after the confirm', async () => {
    const person = await makePerson(app)
    const upload = await startUpload(person, { size: 10 })
    const putResponse = await putBytes(upload, text(11)).catch(() => undefined)
    expect(putResponse?.status ?? 413).toBeGreaterThanOrEqual(400)
    expect((await putBytes(upload, text(10))).status).toBe(200)
    const file = await json<File>(await requestConfirm(person, upload.cloudKey))

    expect((await putBytes(upload, new Uint8Array(10).fill(66))).status).toBe(409)
    const downloadResponse = await makeClient(app).fetch(`/api/download/${file.shortCode}`)
    expect(await downloadResponse.text()).toBe('A'.repeat(10))
  })
})

describe('confirming a multipart upload', () => {
  it.each([[[1]], [[1, 2]], [[2, 3]], [[1, 3]]])(
    'is refused while only the parts %j are stored',
    async (partNumbers) => {
      const person = await makePerson(app)
      const upload = await startMultipartUpload(app, person)
      await sendParts(person, upload, partNumbers)
      const earlyResponse = await requestConfirm(person, upload.cloudKey)
      await expectError(earlyResponse, 400, 'UPLOAD_INCOMPLETE')
      const storedParts = (await listParts(person, upload.cloudKey)).map(
        ({ partNumber }) => partNumber,
      )
      expect(storedParts).toEqual(partNumbers)
      await expectResumable(app, person, upload)
    },
  )

  it('removes the part files', async () => {
    const person = await makePerson(app)
    const upload = await sendAllParts(app, person)
    expect((await requestConfirm(person, upload.cloudKey)).status).toBe(200)
    expect(await pathsOnDisk(app, upload.cloudKey)).toEqual([
      join('files', upload.cloudKey.slice(0, 2), upload.cloudKey),
    ])
  })

  it('uses the whole file if it was sent after the parts', async () => {
    const person = await makePerson(app)
    const upload = await startMultipartUpload(app, person)
    await sendParts(person, upload, [1, 2])
    expect((await putBytes(upload, upload.bytes)).status).toBe(200)
    expect(await listParts(person, upload.cloudKey)).toEqual(partsWithoutChecksums)
    const file = await json<File>(await requestConfirm(person, upload.cloudKey))
    expect(await download(app, file)).toEqual(upload.bytes)
  })
})
