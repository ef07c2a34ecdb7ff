import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  listParts,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  type StartedUpload,
  sha256,
  signParts,
  startUpload,
} from '../../../tests/support/make.ts'
import { send, statusAndErrorCode } from '../../../tests/support/send.ts'
import {
  expectResumable,
  listedPart,
  partBytes,
  partsWithoutChecksums,
  pathsOnDisk,
  putPart,
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
  requestPartList,
  requestParts,
} from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { initialSignedParts } from '../../shared/rules/files/part-plan.ts'
import { createStores } from '../storage/stores.ts'
import { signParts as signPartsAt } from './upload-parts.ts'

const minute = 60_000
const hour = 3_600_000
const mebibyte = 1024 ** 2

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('the parts returned by a start', () => {
  it.each([
    [0, undefined],
    [8 * mebibyte, undefined],
    [8 * mebibyte + 1, { size: 8 * mebibyte, count: 2 }],
    [1024 * mebibyte, { size: 8 * mebibyte, count: 128 }],
  ])('for %i bytes are %j, with the first ones signed', async (fileSize, plan) => {
    const person = await makePerson(app, { tier: 'premium' })
    const response = await person.post('/api/files/get-upload-url', {
      fileName: 'a',
      fileSize,
      fileType: '',
      expirationDays: '3',
    })
    const upload = await json<StartedUpload>(response)
    expect(upload).toMatchObject({ checksum: 'crc32', store: 'disk', computesSha256: true })
    const urls = Array.from(
      { length: Math.min(plan?.count ?? 0, initialSignedParts) },
      (_, index) => [String(index + 1), expect.stringContaining('/storage/')],
    )
    expect(upload.parts).toEqual(plan && { ...plan, urls: Object.fromEntries(urls) })
  })

  it('make up the file when sent in any order and in parallel', async () => {
    const person = await makePerson(app)
    const bytes = new Uint8Array(randomBytes(2 * 8 * mebibyte + 5))
    const upload = await startUpload(person, { size: bytes.length })
    const { size, count } = upload.parts ?? { size: 0, count: 0 }
    const numbers = Array.from({ length: count }, (_, index) => count - index)
    const urls = await signParts(person, upload.cloudKey, numbers)
    await Promise.all(
      numbers.map(async (number, index) => {
        const chunk = bytes.subarray((number - 1) * size, number * size)
        expect((await putPart(urls[index] ?? '', chunk)).status).toBe(200)
      }),
    )
    expect(await listParts(person, upload.cloudKey)).toEqual(
      [1, 2, 3].map((partNumber) =>
        listedPart(partNumber, bytes.subarray((partNumber - 1) * size, partNumber * size)),
      ),
    )
    const confirmResponse = await requestConfirm(person, upload.cloudKey, { sha256: sha256(bytes) })
    const file = await json<File>(confirmResponse)
    expect(file.sha256).toBe(sha256(bytes))
    expect(sha256(await download(app, file))).toBe(sha256(bytes))
    const details = await makeClient(app).fetch(`/api/links/${file.shortCode}`)
    expect(await details.json()).toMatchObject({ sha256: sha256(bytes) })
  })
})

describe('POST /api/files/upload-parts', () => {
  it('signs each requested part once', async () => {
    const person = await makePerson(app)
    const { cloudKey } = await startMultipartUpload(app, person)
    const response = await requestParts(person, cloudKey, [3, 1, 3])
    const { urls } = await json<{ urls: Record<string, string> }>(response)
    expect(Object.keys(urls)).toEqual(['1', '3'])
    expect(new Set(Object.values(urls)).size).toBe(2)
  })

  it.each([
    ['an empty list', []],
    ['a missing list', undefined],
    ['a number instead of a list', 1],
    ['part 0', [1, 0]],
    ['part -1', [-1]],
    ['part 1.5', [1.5]],
    ['a number as a string', ['1']],
    ['null', [null]],
    ['part 10,001', [10_001]],
    ['101 numbers', Array.from({ length: 101 }, () => 1)],
  ])('refuses %s, and the upload can continue', async (_, partNumbers) => {
    const person = await makePerson(app)
    const upload = await startMultipartUpload(app, person)
    const response = await requestParts(person, upload.cloudKey, partNumbers)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^partNumbers(\.\d)?: /),
    })
    await expectResumable(app, person, upload)
  })

  it.each([[[4]], [[1, 10_000]]])(
    'refuses the parts %j of three, and the upload can continue',
    async (partNumbers) => {
      const person = await makePerson(app)
      const upload = await startMultipartUpload(app, person)
      const response = await requestParts(person, upload.cloudKey, partNumbers)
      await expectError(response, 400, 'PART_NOT_FOUND')
      await expectResumable(app, person, upload)
    },
  )

  const invalidKeys = [undefined, '', 7, {}, 'x'.repeat(129), 'a\0b', 'a\ud800']
  it.each(invalidKeys)('refuses the key %j', async (key) => {
    const response = await requestParts(await makePerson(app), key, [1])
    await expectError(response, 400, 'INVALID_INPUT')
  })

  it('signs URLs of the store that has the bytes, even if another store takes new files', async () => {
    const person = await makePerson(app)
    const upload = await startMultipartUpload(app, person)
    const otherStorage = {
      ...app.storage,
      name: 's3' as const,
      signParts: () => Promise.reject(new Error('not here')),
    }
    const deps = { ...app.deps, stores: createStores(otherStorage, app.storage) }
    const { cloudKey } = upload
    const { urls } = await signPartsAt(deps, person.id, { cloudKey, partNumbers: [1] })
    expect((await putPart(urls[1] ?? '', partBytes(upload, 1))).status).toBe(200)
    await expectResumable(app, person, upload)
  })
})

describe("an upload that the caller doesn't have", () => {
  it("can't be signed, listed, confirmed or aborted", async () => {
    const [owner, other] = [await makePerson(app), await makePerson(app, { role: 'admin' })]
    const upload = await startMultipartUpload(app, owner)
    await sendParts(owner, upload, [1, 3])
    const { cloudKey } = upload
    const calls = [requestParts(other, cloudKey, [1]), requestPartList(other, cloudKey)]
    calls.push(requestConfirm(other, cloudKey), abortUpload(other, cloudKey))
    for (const response of await Promise.all(calls)) {
      await expectError(response, 404, 'UPLOAD_NOT_FOUND')
    }
    await expectResumable(app, owner, upload)
  })

  it.each(['nothing', '../../etc/passwd'])('is answered like the unknown key %j', async (key) => {
    const person = await makePerson(app)
    await expectError(await requestParts(person, key, [1]), 404, 'UPLOAD_NOT_FOUND')
    await expectError(await requestPartList(person, key), 404, 'UPLOAD_NOT_FOUND')
  })

  it.each(['', '?cloudKey=', `?cloudKey=${'x'.repeat(129)}`, '?cloudKey=a%00b'])(
    "can't be requested with the query %j",
    async (query) => {
      const response = await (await makePerson(app)).fetch(`/api/files/upload-parts${query}`)
      await expectError(response, 400, 'INVALID_INPUT')
    },
  )
})

describe('GET /api/files/upload-parts', () => {
  it('lists the stored parts', async () => {
    const person = await makePerson(app)
    const upload = await startMultipartUpload(app, person)
    expect(await listParts(person, upload.cloudKey)).toEqual([])
    await sendParts(person, upload, [3, 1])
    const changedUpload = { ...upload, bytes: new Uint8Array(25).fill(7) }
    await sendParts(person, changedUpload, [3])
    expect(await listParts(person, upload.cloudKey)).toEqual([
      listedPart(1, partBytes(upload, 1)),
      listedPart(3, partBytes(changedUpload, 3)),
    ])
  })

  it.each([0, 1, 8 * mebibyte])(
    'lists the single part of a file of %i bytes once it is stored',
    async (size) => {
      const person = await makePerson(app)
      const bytes = new Uint8Array(size)
      const upload = await startUpload(person, { size })
      expect(await listParts(person, upload.cloudKey)).toEqual([])
      expect((await putBytes(upload, bytes)).status).toBe(200)
      expect(await listParts(person, upload.cloudKey)).toEqual([{ partNumber: 1, size }])
      expect(
        (await requestConfirm(person, upload.cloudKey, { sha256: sha256(bytes) })).status,
      ).toBe(200)
    },
  )

  it('lists no parts while the whole file is arriving', async () => {
    const person = await makePerson(app)
    const { cloudKey, uploadUrl } = await startUpload(person, { size: 10 })
    const headers = { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' }
    const response = await send(uploadUrl, { method: 'PUT', headers, body: Buffer.alloc(9) })
    expect(statusAndErrorCode(response)).toEqual([400, 'UPLOAD_INCOMPLETE'])
    expect(await app.storage.storedSize(cloudKey)).toBe(9)
    expect(await listParts(person, cloudKey)).toEqual([])
  })

  it('lists all parts of a sealed file whose confirm was refused for lack of a slot', async () => {
    const person = await makePerson(app)
    const multipartUpload = await sendAllParts(app, person)
    const singleUpload = await startMultipartUpload(app, person)
    expect((await putBytes(singleUpload, singleUpload.bytes)).status).toBe(200)
    app.clock.advance(16 * minute)
    const files = [await makeFile(person), await makeFile(person), await makeFile(person)]
    for (const { cloudKey } of [multipartUpload, singleUpload]) {
      await expectError(await requestConfirm(person, cloudKey), 403, 'TIER_FILE_COUNT')
      expect(await listParts(person, cloudKey)).toEqual(partsWithoutChecksums)
    }
    for (const { id } of files.slice(0, 2)) {
      await person.fetch(`/api/files/${id}`, { method: 'DELETE' })
    }
    for (const upload of [multipartUpload, singleUpload]) {
      const claimFields = { sha256: sha256(upload.bytes) }
      const file = await json<File>(await requestConfirm(person, upload.cloudKey, claimFields))
      expect(await download(app, file)).toEqual(upload.bytes)
    }
  })
})

describe("a part's presigned URL", () => {
  it('is refused if tampered with', async () => {
    const person = await makePerson(app)
    const [upload, otherUpload] = [
      await startMultipartUpload(app, person),
      await startMultipartUpload(app, person),
    ]
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    const changes: [string | RegExp, string][] = [
      [upload.cloudKey, otherUpload.cloudKey],
      ['part=1', 'part=2'],
      ['offset=0', 'offset=10'],
      ['size=10', 'size=1000'],
      ['operation=part', 'operation=put'],
      [/until=(\d)/, 'until=9'],
      [/.$/, '~'],
      [/signature=.*$/, 'signature='],
    ]
    for (const [from, to] of changes) {
      const forgedUrl = url.replace(from, to)
      expect(forgedUrl).not.toBe(url)
      const body = Buffer.alloc(forgedUrl.includes('size=1000') ? 1000 : 10)
      const response = await send(forgedUrl, {
        method: 'PUT',
        headers: { 'content-type': 'text/plain' },
        body,
      })
      expect([forgedUrl, ...statusAndErrorCode(response)]).toEqual([
        forgedUrl,
        403,
        'SIGNATURE_INVALID',
      ])
    }
    expect(await listParts(person, upload.cloudKey)).toEqual([])
    expect(await listParts(person, otherUpload.cloudKey)).toEqual([])
    await expectResumable(app, person, upload)
  })

  it('is valid for one hour', async () => {
    const person = await makePerson(app)
    const upload = await startMultipartUpload(app, person)
    const [firstUrl = '', secondUrl = ''] = await signParts(person, upload.cloudKey, [1, 2])
    app.clock.advance(hour - 1)
    expect((await putPart(firstUrl, partBytes(upload, 1))).status).toBe(200)
    app.clock.advance(1)
    await expectError(await putPart(secondUrl, partBytes(upload, 2)), 403, 'SIGNATURE_EXPIRED')
    await expectResumable(app, person, upload)
  })

  it("can't change a confirmed file", async () => {
    const person = await makePerson(app)
    const upload = await startMultipartUpload(app, person)
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    await sendParts(person, upload, [1, 2, 3])
    const file = await json<File>(await requestConfirm(person, upload.cloudKey))
    await expectError(await putPart(url, new Uint8Array(10)), 409, 'UPLOAD_SEALED')
    await expectError(await requestParts(person, upload.cloudKey, [1]), 404, 'UPLOAD_NOT_FOUND')
    await expectError(await requestPartList(person, upload.cloudKey), 404, 'UPLOAD_NOT_FOUND')
    expect(await download(app, file)).toEqual(upload.bytes)
  })

  it('stores nothing after an abort', async () => {
    const person = await makePerson(app)
    const upload = await startMultipartUpload(app, person)
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    await sendParts(person, upload, [2, 3])
    expect(await pathsOnDisk(app, upload.cloudKey)).toHaveLength(2)
    expect((await abortUpload(person, upload.cloudKey)).status).toBe(200)
    await expectError(await putPart(url, partBytes(upload, 1)), 404, 'UPLOAD_NOT_FOUND')
    await expectError(await requestParts(person, upload.cloudKey, [1]), 404, 'UPLOAD_NOT_FOUND')
    await expectError(await requestPartList(person, upload.cloudKey), 404, 'UPLOAD_NOT_FOUND')
    expect(await pathsOnDisk(app, upload.cloudKey)).toEqual([])
  })
})

describe('the body of a part', () => {
  const typeHeader = { 'content-type': 'text/plain' }
  const chunkedHeaders = { ...typeHeader, 'transfer-encoding': 'chunked' }

  it.each([
    ['empty', typeHeader, 0, 400, 'UPLOAD_INCOMPLETE'],
    ['too long and has no Content-Length', chunkedHeaders, 5000, 413, 'FILE_TOO_LARGE'],
    ['too short and has no Content-Length', chunkedHeaders, 9, 400, 'UPLOAD_INCOMPLETE'],
    [
      'sent with another content type',
      { 'content-type': 'text/html' },
      10,
      403,
      'SIGNATURE_INVALID',
    ],
    [
      'sent with another checksum',
      { ...typeHeader, 'x-amz-checksum-crc32': 'AAAAAA==' },
      10,
      409,
      'CHECKSUM_MISMATCH',
    ],
    [
      'sent with a malformed checksum',
      { ...typeHeader, 'x-amz-checksum-crc32': '12' },
      10,
      400,
      'INVALID_INPUT',
    ],
  ])('is refused when it is %s', async (_, headers, length, status, code) => {
    const person = await makePerson(app)
    const upload = await startMultipartUpload(app, person)
    await sendParts(person, upload, [2])
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    const response = await send(url, { method: 'PUT', headers, body: Buffer.alloc(length, 1) })
    expect(statusAndErrorCode(response)).toEqual([status, code])
    expect(await listParts(person, upload.cloudKey)).toEqual([listedPart(2, partBytes(upload, 2))])
    await expectResumable(app, person, upload)
  })

  it.each([
    ['the whole file', async ({ uploadUrl }: StartedUpload) => uploadUrl],
    [
      'a single part',
      async ({ cloudKey }: StartedUpload, person: Person) =>
        (await signParts(person, cloudKey, [1]))[0] ?? '',
    ],
  ] as const)('stores no more than the declared 1 KB, sent as %s', async (_, urlOf) => {
    const person = await makePerson(app)
    const upload = await startUpload(person, { size: 1024 })
    const url = await urlOf(upload, person)
    for (const headers of [typeHeader, chunkedHeaders]) {
      const response = await send(url, { method: 'PUT', headers, body: Buffer.alloc(4 * mebibyte) })
      expect(statusAndErrorCode(response)).toEqual([413, 'FILE_TOO_LARGE'])
      expect((await app.storage.storedSize(upload.cloudKey)) ?? 0).toBe(0)
    }
    const earlyResponse = await requestConfirm(person, upload.cloudKey)
    await expectError(earlyResponse, 400, 'UPLOAD_INCOMPLETE')
    const bytes = new Uint8Array(randomBytes(1024))
    expect((await putPart(url, bytes)).status).toBe(200)
    expect(
      await download(app, await json<File>(await requestConfirm(person, upload.cloudKey))),
    ).toEqual(bytes)
  })
})
