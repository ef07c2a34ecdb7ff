import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { json, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  codesOf,
  confirmInBatch,
  requestConfirms,
  requestUploads,
  startAndSend,
  startUploads,
  uploadRequest,
} from '../../../tests/support/upload-batches.ts'
import {
  download,
  expectError,
  requestConfirm,
  requestUpload,
} from '../../../tests/support/upload-requests.ts'
import { maxBatchLength } from '../../shared/contract/batch.ts'
import type { ErrorBody } from '../../shared/contract/errors.ts'
import type { File } from '../../shared/contract/files.ts'
import { uploads } from '../db/schema.ts'

const megabyte = 1024 ** 2

let app: TestApp
let newUser: Person
beforeAll(async () => {
  app = await startTestApp()
  newUser = await makePerson(app, { tier: 'premium' })
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => app.close())

function text(length: number, fill = 65) {
  return new Uint8Array(length).fill(fill)
}

function rowsOf({ id }: Person) {
  return app.deps.db.$count(uploads, eq(uploads.ownerId, id))
}

async function listFiles(person: Person) {
  return json<File[]>(await person.fetch('/api/files'))
}

const invalidLists: [string, unknown][] = [
  ['a missing list', undefined],
  ['an empty list', []],
  ['an object', { 0: uploadRequest() }],
  ['a string', 'files'],
  ['a list with an invalid entry', [uploadRequest(), uploadRequest({ fileSize: -1 }), null]],
  [
    'a list over the batch limit',
    Array.from({ length: maxBatchLength + 1 }, () => uploadRequest()),
  ],
]

describe('POST /api/files/get-upload-urls', () => {
  it.each(invalidLists)('refuses %s as a whole', async (_, files) => {
    const response = await requestUploads(newUser, files)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^files[.:]/),
    })
    expect(await rowsOf(newUser)).toBe(0)
  })

  it('returns the same result for each entry as a single request would', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const requests: unknown[] = [
      uploadRequest({ fileName: 'first.txt' }),
      uploadRequest({ fileSize: 1024 * megabyte + 1 }),
      uploadRequest({ expirationDays: '4' }),
      uploadRequest({ ownerId: 'somebody else' }),
      uploadRequest({ fileName: 'large', fileSize: 20 * megabyte }),
      uploadRequest({ fileName: 'last.txt', fileSize: 0 }),
    ]
    const results = await startUploads(person, requests)
    expect(results).toHaveLength(requests.length)
    for (const [index, { answer: response, error }] of results.entries()) {
      const singleResponse = await person.post('/api/files/get-upload-url', requests[index])
      if (singleResponse.ok) {
        const { cloudKey, uploadUrl, shortCode, parts, ...otherFields } =
          await json<Record<string, unknown>>(singleResponse)
        expect(response).toMatchObject(otherFields)
        expect(Object.keys(response?.parts ?? {})).toEqual(Object.keys(parts ?? {}))
        expect(response?.uploadUrl).toContain(response?.cloudKey)
      } else {
        const body = await json<ErrorBody>(singleResponse)
        expect(error).toEqual({ httpStatus: singleResponse.status, ...body })
      }
    }
    expect(codesOf(results)).toEqual([
      'ok',
      'FILE_TOO_LARGE',
      'INVALID_INPUT',
      'UNAUTHORIZED',
      'ok',
      'ok',
    ])
  })

  it('returns one upload for a repeated idempotency key, and refuses the key for another file', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const [same, other] = [
      uploadRequest({ idempotencyKey: 'k' }),
      uploadRequest({ idempotencyKey: 'k', fileSize: 9 }),
    ]
    const results = await startUploads(person, [same, other, same, uploadRequest()])
    expect(codesOf(results)).toEqual(['ok', 'INVALID_INPUT', 'ok', 'ok'])
    expect(results[2]?.answer?.cloudKey).toBe(results[0]?.answer?.cloudKey)
    const retryResults = await startUploads(person, [uploadRequest(), same])
    expect(retryResults[1]?.answer?.cloudKey).toBe(results[0]?.answer?.cloudKey)
    expect(await rowsOf(person)).toBe(3)
  })

  it('uses no more slots than the tier allows, even in parallel batches', async () => {
    const person = await makePerson(app)
    await makeFile(person)
    const requests = Array.from({ length: 4 }, () => uploadRequest())
    const firstOutcomes = codesOf(await startUploads(person, requests))
    expect(firstOutcomes).toEqual(['ok', 'ok', 'TIER_FILE_COUNT', 'TIER_FILE_COUNT'])
    const otherPerson = await makePerson(app)
    const batches = await Promise.all([1, 2, 3].map(() => startUploads(otherPerson, requests)))
    expect(batches.flatMap(codesOf).filter((outcome) => outcome === 'ok')).toHaveLength(3)
    expect(await rowsOf(otherPerson)).toBe(3)
  })

  it('resumes a repeated entry even when no slot is free', async () => {
    const person = await makePerson(app)
    const requests = ['a', 'b', 'c'].map((idempotencyKey) => uploadRequest({ idempotencyKey }))
    const firstResults = await startUploads(person, requests)
    const retryResults = await startUploads(person, [uploadRequest(), ...requests])
    expect(codesOf(retryResults)).toEqual(['TIER_FILE_COUNT', 'ok', 'ok', 'ok'])
    expect(retryResults.slice(1).map(({ answer: response }) => response?.cloudKey)).toEqual(
      firstResults.map(({ answer: response }) => response?.cloudKey),
    )
  })
})

describe('POST /api/files/confirm-uploads', () => {
  it.each(invalidLists)('refuses %s as a whole', async (_, list) => {
    const response = await requestConfirms(newUser, list)
    await expectError(response, 400, 'INVALID_INPUT')
  })

  it('creates a file for each entry, with its own bytes, short code and name', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const contents = Array.from({ length: 20 }, (_, index) => text(20 + index, 32 + index))
    const startedUploads = await startAndSend(person, contents)
    const results = await confirmInBatch(person, startedUploads)
    expect(codesOf(results)).toEqual(contents.map(() => 'ok'))
    // A retry, as after a lost response, returns the same files.
    expect(await confirmInBatch(person, startedUploads)).toEqual(results)
    for (const [index, { answer: file }] of results.entries()) {
      expect(file).toMatchObject({ originalName: `${index}.txt`, size: 20 + index })
      if (file && index % 10 === 0) expect(await download(app, file)).toEqual(contents[index])
    }
    expect(new Set(results.map(({ answer: response }) => response?.shortCode)).size).toBe(20)
    expect(await listFiles(person)).toHaveLength(20)
  })

  it('returns the same result for each entry as a single request would', async () => {
    const [person, otherPerson] = [
      await makePerson(app, { tier: 'premium' }),
      await makePerson(app, { tier: 'premium' }),
    ]
    const [goodUpload, wrongUpload, lastUpload] = await startAndSend(person, [
      text(3),
      text(4),
      text(5),
    ])
    const [otherUpload] = await startAndSend(otherPerson, [text(6)])
    const [emptyUpload] = await startUploads(person, [uploadRequest()])
    const entries: unknown[] = [
      { cloudKey: goodUpload?.cloudKey, metadata: { size: 99 } },
      { cloudKey: emptyUpload?.answer?.cloudKey },
      { cloudKey: otherUpload?.cloudKey },
      { cloudKey: 'unknown' },
      { cloudKey: wrongUpload?.cloudKey, sha256: 'a'.repeat(64) },
      { cloudKey: lastUpload?.cloudKey },
      { cloudKey: goodUpload?.cloudKey },
    ]
    const results = await confirmInBatch(person, entries)
    expect(codesOf(results)).toEqual([
      'ok',
      'UPLOAD_INCOMPLETE',
      'UPLOAD_NOT_FOUND',
      'UPLOAD_NOT_FOUND',
      'CHECKSUM_MISMATCH',
      'ok',
      'ok',
    ])
    expect(results[6]?.answer).toEqual(results[0]?.answer)
    for (const index of [1, 2, 3]) {
      const singleResponse = await person.post('/api/files/confirm-upload', entries[index])
      const body = await json<ErrorBody>(singleResponse)
      expect(results[index]?.error).toEqual({ httpStatus: singleResponse.status, ...body })
    }
    // The upload with wrong bytes has ended. The other refused uploads can still be confirmed.
    expect((await requestConfirm(person, wrongUpload?.cloudKey ?? '')).status).toBe(404)
    expect((await requestConfirm(otherPerson, otherUpload?.cloudKey ?? '')).status).toBe(200)
  })

  it('creates each file once when batches and single requests run in parallel', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const startedUploads = await startAndSend(
      person,
      Array.from({ length: 12 }, () => text(7)),
    )
    const [firstUpload] = startedUploads
    const batches = Array.from({ length: 6 }, (_, index) =>
      confirmInBatch(person, index % 2 ? startedUploads : startedUploads.toReversed()),
    )
    const [singleResponse, ...batchResults] = await Promise.all([
      requestConfirm(person, firstUpload?.cloudKey ?? ''),
      ...batches,
    ])
    expect(singleResponse.status).toBe(200)
    for (const results of batchResults)
      expect(codesOf(results)).toEqual(startedUploads.map(() => 'ok'))
    expect(await listFiles(person)).toHaveLength(12)
    const ids = batchResults.flat().map(({ answer: response }) => response?.id)
    expect(new Set(ids).size).toBe(12)
  })

  it("refuses an entry whose bytes can't be sealed, with a retry delay", async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const startedUploads = await startAndSend(person, [text(1), text(2)])
    vi.spyOn(app.deps.stores.current, 'seal').mockRejectedValueOnce(
      Object.assign(new Error('no space left'), { code: 'ENOSPC' }),
    )
    const results = await confirmInBatch(person, startedUploads)
    expect(codesOf(results).toSorted()).toEqual(['DISK_FULL', 'ok'])
    const error = results.find((result) => result.error)?.error
    expect(error).toMatchObject({ httpStatus: 503, retryAfterSeconds: 60 })
    expect(codesOf(await confirmInBatch(person, startedUploads))).toEqual(['ok', 'ok'])
  })
})

it('single and batch uploads share the slots', async () => {
  const person = await makePerson(app)
  await startUploads(person, [uploadRequest(), uploadRequest(), uploadRequest()])
  await expectError(await requestUpload(person), 403, 'TIER_FILE_COUNT')
})
