import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  listParts,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  type StartedUpload,
  startUpload,
} from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  expectError,
  requestConfirm,
  requestUpload,
} from '../../../tests/support/upload-requests.ts'
import { tiers } from '../../shared/rules/tiers/tier.ts'
import { uploads, users } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { createStores } from '../storage/stores.ts'
import { sweepUploads } from './end-uploads.ts'
import { startUploads } from './start-upload.ts'

const minute = 60_000
const day = 24 * 60 * minute
const mebibyte = 1024 ** 2

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const request = {
  fileName: 'notes.txt',
  fileSize: 2 * 8 * mebibyte + 1,
  fileType: 'text/plain',
  expirationDays: '3',
}

function requestStart(person: Person, changes: Record<string, unknown> = {}) {
  return requestUpload(person, { ...request, ...changes })
}

async function start(person: Person, changes: Record<string, unknown> = {}) {
  const response = await requestStart(person, changes)
  expect(response.status).toBe(200)
  return json<StartedUpload>(response)
}

function rowsOf({ id }: Person) {
  return app.deps.db.select().from(uploads).where(eq(uploads.ownerId, id))
}

describe('a start request with an owner id', () => {
  it("is refused with UNAUTHORIZED in another user's session, and starts no upload", async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app, { role: 'admin' })]
    for (const ownerId of [ada.id, 'nobody', '', bob.id.toUpperCase()]) {
      const rejection = await requestStart(bob, { ownerId, idempotencyKey: 'k' })
      await expectError(rejection, 401, 'UNAUTHORIZED')
    }
    expect(await rowsOf(bob)).toEqual([])
    expect(await rowsOf(ada)).toEqual([])
    const session = await bob.fetch('/api/auth/user')
    expect(await json<Person>(session)).toMatchObject({ id: bob.id })
  })

  it("is accepted in that owner's session", async () => {
    const ada = await makePerson(app)
    const { cloudKey } = await start(ada, { ownerId: ada.id })
    expect(await rowsOf(ada)).toMatchObject([{ storageKey: cloudKey, ownerId: ada.id }])
  })

  it.each([7, null, {}, 'x'.repeat(65)])('is refused for the owner %j', async (ownerId) => {
    await expectError(await requestStart(await makePerson(app), { ownerId }), 400, 'INVALID_INPUT')
  })
})

describe.each(tiers)('a repeated start, %s', (tier) => {
  const person = () => makePerson(app, { tier })

  it('returns the same upload with new URLs', async () => {
    const ada = await person()
    const key = { idempotencyKey: randomUUID() }
    const firstUpload = await start(ada, key)
    app.clock.advance(minute)
    const repeatedUpload = await start(ada, key)
    expect(repeatedUpload).toEqual({
      ...firstUpload,
      uploadUrl: repeatedUpload.uploadUrl,
      parts: repeatedUpload.parts,
    })
    expect(repeatedUpload.uploadUrl).not.toBe(firstUpload.uploadUrl)
    expect(repeatedUpload.parts).toMatchObject({ size: 8 * mebibyte, count: 3 })
    const [urls, firstUrls] = [
      repeatedUpload.parts?.urls ?? {},
      Object.values(firstUpload.parts?.urls ?? {}),
    ]
    expect(Object.keys(urls)).toEqual(['1', '2', '3'])
    for (const url of Object.values(urls)) expect(firstUrls).not.toContain(url)
    expect(await rowsOf(ada)).toHaveLength(1)
    const smallUpload = { ...key, idempotencyKey: randomUUID(), fileSize: 5 }
    await start(ada, smallUpload)
    const bytes = new Uint8Array(5).fill(65)
    const repeated = await start(ada, smallUpload)
    expect((await putBytes(repeated, bytes)).status).toBe(200)
    const confirmResponse = await requestConfirm(ada, repeated.cloudKey)
    expect(confirmResponse.status).toBe(200)
  })

  it('takes one slot, even in parallel', async () => {
    const ada = await person()
    const key = { idempotencyKey: randomUUID() }
    const repeatedUploads = await Promise.all(Array.from({ length: 6 }, () => start(ada, key)))
    expect(new Set(repeatedUploads.map(({ cloudKey }) => cloudKey)).size).toBe(1)
    expect(await rowsOf(ada)).toHaveLength(1)
  })

  it('keeps the part size of the first start and the stored bytes', async () => {
    const ada = await person()
    const key = { size: 5, idempotencyKey: randomUUID() }
    const firstUpload = await startUpload(ada, key)
    const { db } = app.deps
    await db
      .update(uploads)
      .set({ partSize: 2 })
      .where(eq(uploads.storageKey, firstUpload.cloudKey))
    expect((await putBytes(firstUpload, new Uint8Array(5))).status).toBe(200)
    const { parts } = await startUpload(ada, key)
    expect(parts).toMatchObject({ size: 2, count: 3 })
    expect(await listParts(ada, firstUpload.cloudKey)).toHaveLength(3)
    const putResponse = await fetch(parts?.urls[3] ?? '', {
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      body: new Uint8Array(1),
    })
    expect(putResponse.status).toBe(200)
    expect(await listParts(ada, firstUpload.cloudKey)).toMatchObject([{ partNumber: 3, size: 1 }])
  })

  it.each([
    ['size', { fileSize: 7 }],
    ['type', { fileType: 'text/html' }],
    ['name', { fileName: 'other.txt' }],
  ])('is refused with another %s, and changes nothing', async (_, changes) => {
    const ada = await person()
    const key = { idempotencyKey: randomUUID() }
    await start(ada, key)
    const rowsBefore = await rowsOf(ada)
    app.clock.advance(minute)
    await expectError(await requestStart(ada, { ...key, ...changes }), 400, 'INVALID_INPUT')
    expect(await rowsOf(ada)).toEqual(rowsBefore)
  })

  it('returns the same upload if name and type differ only before normalization', async () => {
    const ada = await person()
    const key = { idempotencyKey: randomUUID() }
    const firstUpload = await start(ada, key)
    const untidyMetadata = { fileName: ' notes<>.txt', fileType: 'Text/Plain; charset=utf-8' }
    expect((await start(ada, { ...key, ...untidyMetadata })).cloudKey).toBe(firstUpload.cloudKey)
  })

  it("doesn't return another user's upload with the same key", async () => {
    const [ada, bob] = [await person(), await person()]
    const key = { idempotencyKey: randomUUID() }
    const [adaUpload, bobUpload] = [await start(ada, key), await start(bob, key)]
    expect(adaUpload.cloudKey).not.toBe(bobUpload.cloudKey)
    expect(await rowsOf(bob)).toMatchObject([{ storageKey: bobUpload.cloudKey }])
    expect((await requestStart(bob, { ...key, fileSize: 7 })).status).toBe(400)
    expect((await start(ada, key)).cloudKey).toBe(adaUpload.cloudKey)
  })

  it.each([
    [
      'confirmed',
      async (ada: Person, upload: StartedUpload) => {
        expect((await putBytes(upload, new Uint8Array(5))).status).toBe(200)
        return requestConfirm(ada, upload.cloudKey)
      },
    ],
    [
      'aborted',
      async (ada: Person, { cloudKey }: StartedUpload) =>
        ada.post('/api/files/abort-upload', { cloudKey }),
    ],
    [
      'swept',
      async () => {
        app.clock.advance(day + 1)
        await sweepUploads(app.deps)
        app.clock.advance(-day - 1)
        return Response.json({})
      },
    ],
  ])('starts a new upload after the first was %s', async (_, endUpload) => {
    const ada = await person()
    const key = { fileSize: 5, idempotencyKey: randomUUID() }
    const firstUpload = await start(ada, key)
    expect((await endUpload(ada, firstUpload)).status).toBe(200)
    const nextUpload = await start(ada, { ...key, fileSize: 6 })
    expect(nextUpload.cloudKey).not.toBe(firstUpload.cloudKey)
    expect(await rowsOf(ada)).toHaveLength(1)
  })

  const invalidKeys = [7, null, {}, '', 'x'.repeat(65), 'a\0b', '\ud800', 'a\udc00']
  it.each(invalidKeys)('is refused with the key %j', async (key) => {
    const rejection = await requestStart(await person(), { idempotencyKey: key })
    await expectError(rejection, 400, 'INVALID_INPUT')
  })

  it('keeps the upload when storage is unavailable, but takes no slot if the first start failed', async () => {
    const ada = await person()
    const { cloudKey } = await startUpload(ada, { size: 5, idempotencyKey: 'open' })
    const unavailableStorage = {
      ...app.storage,
      signUpload: () => Promise.reject(new AppError('UNAVAILABLE')),
    }
    const deps = { ...app.deps, stores: createStores(unavailableStorage) }
    const { fileName, fileType } = request
    for (const idempotencyKey of ['open', 'first', undefined]) {
      const sameRequest = {
        fileName,
        fileSize: 5,
        fileType,
        expirationDays: 3 as const,
        idempotencyKey,
      }
      const target = { kind: 'new', options: {} } as const
      await expect(startUploads(deps, ada.id, [sameRequest], target)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      })
    }
    expect(await rowsOf(ada)).toMatchObject([{ storageKey: cloudKey }])
    const repeatedUpload = await startUpload(ada, { size: 5, idempotencyKey: 'open' })
    expect(repeatedUpload.cloudKey).toBe(cloudKey)
  })
})

describe('the slots of a free user', () => {
  it('are not taken again by a repeated start', async () => {
    const ada = await makePerson(app)
    await makeFile(ada)
    await start(ada)
    const key = { idempotencyKey: randomUUID() }
    const thirdUpload = await start(ada, key)
    await expectError(await requestStart(ada), 403, 'TIER_FILE_COUNT')
    const repeatedUploads = await Promise.all(Array.from({ length: 6 }, () => start(ada, key)))
    for (const { cloudKey } of repeatedUploads) expect(cloudKey).toBe(thirdUpload.cloudKey)
    await expectError(await requestStart(ada, { ...key, fileSize: 7 }), 400, 'INVALID_INPUT')
    await expectError(await requestStart(ada), 403, 'TIER_FILE_COUNT')
    expect(await rowsOf(ada)).toHaveLength(2)
  })

  it('are taken once per key by parallel repeated starts', async () => {
    const ada = await makePerson(app)
    const keys = ['a', 'b', 'c', 'd', 'e']
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        requestStart(ada, { idempotencyKey: keys[index % keys.length] }),
      ),
    )
    const acceptedResponses = responses.filter(({ status }) => status === 200)
    const startedUploads = await Promise.all(
      acceptedResponses.map((response) => json<StartedUpload>(response)),
    )
    expect(new Set(startedUploads.map(({ cloudKey }) => cloudKey)).size).toBe(3)
    expect(await rowsOf(ada)).toHaveLength(3)
    for (const response of responses.filter(({ status }) => status !== 200)) {
      await expectError(response, 403, 'TIER_FILE_COUNT')
    }
  })

  it('are held for 15 minutes after a repeated start if bytes have arrived', async () => {
    const ada = await makePerson(app)
    const key = { idempotencyKey: randomUUID() }
    const firstUpload = await start(ada, key)
    app.clock.advance(minute)
    const thirdPart = { ...firstUpload, uploadUrl: firstUpload.parts?.urls[3] ?? '' }
    expect((await putBytes(thirdPart, new Uint8Array(1))).status).toBe(200)
    app.clock.advance(14 * minute)
    expect((await start(ada, key)).cloudKey).toBe(firstUpload.cloudKey)
    await start(ada)
    await start(ada)
    app.clock.advance(14 * minute)
    await expectError(await requestStart(ada), 403, 'TIER_FILE_COUNT')
    app.clock.advance(minute)
    expect((await requestStart(ada)).status).toBe(200)
  })

  it('are not held longer by repeated starts without bytes', async () => {
    const ada = await makePerson(app)
    const key = { idempotencyKey: randomUUID() }
    await start(ada, key)
    app.clock.advance(14 * minute)
    await start(ada, key)
    await start(ada)
    await start(ada)
    await expectError(await requestStart(ada), 403, 'TIER_FILE_COUNT')
    app.clock.advance(minute)
    expect((await requestStart(ada)).status).toBe(200)
  })

  it("don't prevent an upload from being resumed after a downgrade", async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    const longRequest = { expirationDays: '7', idempotencyKey: randomUUID() }
    const { cloudKey } = await start(ada, longRequest)
    const { db } = app.deps
    await db.update(users).set({ tier: 'free' }).where(eq(users.id, ada.id))
    expect((await start(ada, longRequest)).cloudKey).toBe(cloudKey)
    const shortRequest = { ...longRequest, expirationDays: '3' }
    await expectError(await requestStart(ada, shortRequest), 400, 'INVALID_INPUT')
  })
})
