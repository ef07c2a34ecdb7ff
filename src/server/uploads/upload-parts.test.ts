import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  checksums,
  json,
  type ListedPart,
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
import { codeOf, send } from '../../../tests/support/send.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { File } from '../../shared/contract/files.ts'
import { uploads } from '../db/schema.ts'
import { sweepOrphans } from '../jobs/sweep-orphans.ts'
import { createStores } from '../storage/stores.ts'
import { confirmUpload } from './confirm-upload.ts'
import { prepareUploads } from './prepared-queries.ts'
import { signParts as signPartsAt } from './sign-parts.ts'
import { sweepUploads } from './sweep-uploads.ts'

const minute = 60_000
const hour = 60 * minute
const mebibyte = 1024 ** 2

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/** An upload of 25 bytes in three parts of 10, 10 and 5, and the bytes that it is to have. */
interface InParts extends StartedUpload {
  bytes: Uint8Array<ArrayBuffer>
}

/** Cut as another rule would cut it: what counts is how it was cut when it was started. */
const startInParts = async (person: Person): Promise<InParts> => {
  const bytes = new Uint8Array(randomBytes(25))
  const started = await startUpload(person, { size: bytes.length })
  const { db } = app.deps
  await db.update(uploads).set({ partSize: 10 }).where(eq(uploads.cloudKey, started.cloudKey))
  return { ...started, bytes }
}

const pieceOf = ({ bytes }: InParts, partNumber: number) =>
  bytes.subarray((partNumber - 1) * 10, partNumber * 10)

/** What is listed of a part that holds these bytes. */
const listed = (partNumber: number, bytes: Uint8Array): ListedPart => ({
  partNumber,
  size: bytes.length,
  checksum: checksums.crc32(bytes),
})

/** What is listed of the 25 bytes when they are one file already. */
const allWithoutChecksums: ListedPart[] = [
  { partNumber: 1, size: 10 },
  { partNumber: 2, size: 10 },
  { partNumber: 3, size: 5 },
]

const putPart = (url: string, body: Uint8Array<ArrayBuffer>, headers = {}) =>
  fetch(url, { method: 'PUT', headers: { 'content-type': 'text/plain', ...headers }, body })

const sendParts = async (person: Person, upload: InParts, partNumbers: number[]) => {
  if (partNumbers.length === 0) return
  const urls = await signParts(person, upload.cloudKey, partNumbers)
  const answers = await Promise.all(
    urls.map((url, at) => putPart(url, pieceOf(upload, partNumbers[at] ?? 0))),
  )
  expect(answers.map(({ status }) => status)).toEqual(partNumbers.map(() => 200))
}

const sendAll = async (person: Person): Promise<InParts> => {
  const upload = await startInParts(person)
  await sendParts(person, upload, [3, 1, 2])
  return upload
}

const sign = (person: Person, cloudKey: unknown, partNumbers: unknown) =>
  person.post('/api/files/upload-parts', { cloudKey, partNumbers })

const list = (person: Person, cloudKey: string) =>
  person.fetch(`/api/files/upload-parts?cloudKey=${encodeURIComponent(cloudKey)}`)

const confirm = (person: Person, cloudKey: string, more = {}) =>
  person.post('/api/files/confirm-upload', { cloudKey, ...more })

const abort = (person: Person, cloudKey: string) =>
  person.post('/api/files/abort-upload', { cloudKey })

const download = async ({ shortCode }: File) => {
  const response = await makeClient(app).fetch(`/api/download/${shortCode}`)
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

/** What is lost may not be missing, and what was refused may not have been stored. */
const expectGoesOn = async (person: Person, upload: InParts) => {
  const held = (await listParts(person, upload.cloudKey)).map(({ partNumber }) => partNumber)
  await sendParts(
    person,
    upload,
    [1, 2, 3].filter((partNumber) => !held.includes(partNumber)),
  )
  const confirmed = await confirm(person, upload.cloudKey)
  expect(confirmed.status).toBe(200)
  expect(await download(await json<File>(confirmed))).toEqual(upload.bytes)
}

const expectRefusal = async (response: Response, status: number, code: string) => {
  expect({ status: response.status, ...(await json<object>(response)) }).toMatchObject({
    status,
    code,
  })
}

/** Everything the disk holds under a key, whatever it is called. */
const onDisk = async (cloudKey: string) => {
  const all = await readdir(join(app.deps.config.dataDir), { recursive: true })
  return all.filter((path) => path.includes(cloudKey))
}

describe('the offer of parts', () => {
  it.each([
    [0, undefined],
    [8 * mebibyte, undefined],
    [8 * mebibyte + 1, { size: 8 * mebibyte, count: 2 }],
    [1024 * mebibyte, { size: 8 * mebibyte, count: 128 }],
  ])('for %i bytes is %j', async (fileSize, parts) => {
    const person = await makePerson(app, { tier: 'premium' })
    const response = await person.post('/api/files/get-upload-url', {
      fileName: 'a',
      fileSize,
      fileType: '',
      expirationDays: '3',
    })
    const started = await json<StartedUpload>(response)
    expect(started).toMatchObject({ checksum: 'crc32' })
    expect(started.parts).toEqual(parts)
  })

  it('leads to the very file, sent in any order and at once, with its SHA-256', async () => {
    const person = await makePerson(app)
    const bytes = new Uint8Array(randomBytes(2 * 8 * mebibyte + 5))
    const started = await startUpload(person, { size: bytes.length })
    const { size, count } = started.parts ?? { size: 0, count: 0 }
    const numbers = Array.from({ length: count }, (_, at) => count - at)
    const urls = await signParts(person, started.cloudKey, numbers)
    await Promise.all(
      numbers.map(async (number, at) => {
        const piece = bytes.subarray((number - 1) * size, number * size)
        expect((await putPart(urls[at] ?? '', piece)).status).toBe(200)
      }),
    )
    expect(await listParts(person, started.cloudKey)).toEqual(
      [1, 2, 3].map((partNumber) =>
        listed(partNumber, bytes.subarray((partNumber - 1) * size, partNumber * size)),
      ),
    )
    const confirmed = await confirm(person, started.cloudKey, { sha256: sha256(bytes) })
    const file = await json<File>(confirmed)
    expect(file.sha256).toBe(sha256(bytes))
    expect(sha256(await download(file))).toBe(sha256(bytes))
    const details = await makeClient(app).fetch(`/api/links/${file.shortCode}`)
    expect(await details.json()).toMatchObject({ sha256: sha256(bytes) })
  })
})

describe('POST /api/files/upload-parts', () => {
  it('signs the parts that were asked for, each once', async () => {
    const person = await makePerson(app)
    const { cloudKey } = await startInParts(person)
    const response = await sign(person, cloudKey, [3, 1, 3])
    const { urls } = await json<{ urls: Record<string, string> }>(response)
    expect(Object.keys(urls)).toEqual(['1', '3'])
    expect(new Set(Object.values(urls)).size).toBe(2)
  })

  it.each([
    ['none', []],
    ['no list', undefined],
    ['a number', 1],
    ['part 0', [1, 0]],
    ['part -1', [-1]],
    ['part 1.5', [1.5]],
    ['a number in text', ['1']],
    ['null', [null]],
    ['part 10,001', [10_001]],
    ['101 numbers', Array.from({ length: 101 }, () => 1)],
  ])('refuses %s, and the upload goes on', async (_, partNumbers) => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    const response = await sign(person, upload.cloudKey, partNumbers)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^partNumbers(\.\d)?: /),
    })
    await expectGoesOn(person, upload)
  })

  it.each([[[4]], [[1, 10_000]]])('refuses %j of three parts', async (partNumbers) => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    const response = await sign(person, upload.cloudKey, partNumbers)
    await expectRefusal(response, 400, 'PART_NOT_FOUND')
    await expectGoesOn(person, upload)
  })

  it.each([undefined, '', 7, {}, 'x'.repeat(129), 'a\0b'])('refuses the key %j', async (key) => {
    const response = await sign(await makePerson(app), key, [1])
    await expectRefusal(response, 400, 'INVALID_INPUT')
  })

  it('signs at the store that has the bytes, whichever takes new files', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    const elsewhere = {
      ...app.storage,
      name: 's3' as const,
      signParts: () => Promise.reject(new Error('not here')),
    }
    const deps = { ...app.deps, stores: createStores(elsewhere, app.storage) }
    const { cloudKey } = upload
    const { urls } = await signPartsAt(deps, person.id, { cloudKey, partNumbers: [1] })
    expect((await putPart(urls[1] ?? '', pieceOf(upload, 1))).status).toBe(200)
    await expectGoesOn(person, upload)
  })
})

describe("another user's upload", () => {
  it('cannot be signed for, listed, confirmed or aborted', async () => {
    const [owner, other] = [await makePerson(app), await makePerson(app, { role: 'admin' })]
    const upload = await startInParts(owner)
    await sendParts(owner, upload, [1, 3])
    const { cloudKey } = upload
    const calls = [sign(other, cloudKey, [1]), list(other, cloudKey)]
    calls.push(confirm(other, cloudKey), abort(other, cloudKey))
    for (const response of await Promise.all(calls)) {
      await expectRefusal(response, 404, 'UPLOAD_NOT_FOUND')
    }
    await expectGoesOn(owner, upload)
  })

  it.each(['nothing', '../../etc/passwd'])('looks the same as %j', async (key) => {
    const person = await makePerson(app)
    await expectRefusal(await sign(person, key, [1]), 404, 'UPLOAD_NOT_FOUND')
    await expectRefusal(await list(person, key), 404, 'UPLOAD_NOT_FOUND')
  })

  it.each(['', '?cloudKey=', `?cloudKey=${'x'.repeat(129)}`, '?cloudKey=a%00b'])(
    'is not asked for by %j',
    async (query) => {
      const response = await (await makePerson(app)).fetch(`/api/files/upload-parts${query}`)
      await expectRefusal(response, 400, 'INVALID_INPUT')
    },
  )
})

describe('GET /api/files/upload-parts', () => {
  it('tells the parts that are held and what each holds', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    expect(await listParts(person, upload.cloudKey)).toEqual([])
    await sendParts(person, upload, [3, 1])
    const other = { ...upload, bytes: new Uint8Array(25).fill(7) }
    await sendParts(person, other, [3])
    expect(await listParts(person, upload.cloudKey)).toEqual([
      listed(1, pieceOf(upload, 1)),
      listed(3, pieceOf(other, 3)),
    ])
  })

  it.each([0, 1, 8 * mebibyte])(
    'tells of the one part of %i bytes when it is there',
    async (size) => {
      const person = await makePerson(app)
      const bytes = new Uint8Array(size)
      const started = await startUpload(person, { size })
      expect(await listParts(person, started.cloudKey)).toEqual([])
      expect((await putBytes(started, bytes)).status).toBe(200)
      expect(await listParts(person, started.cloudKey)).toEqual([{ partNumber: 1, size }])
      expect((await confirm(person, started.cloudKey, { sha256: sha256(bytes) })).status).toBe(200)
    },
  )

  it('tells of none while the whole file is on its way', async () => {
    const person = await makePerson(app)
    const { cloudKey, uploadUrl } = await startUpload(person, { size: 10 })
    const headers = { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' }
    const answer = await send(uploadUrl, { method: 'PUT', headers, body: Buffer.alloc(9) })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'UPLOAD_INCOMPLETE'])
    expect(await app.storage.storedSize(cloudKey)).toBe(9)
    expect(await listParts(person, cloudKey)).toEqual([])
  })

  it('tells of all parts when the file was sealed and then found no place', async () => {
    const person = await makePerson(app)
    const parted = await sendAll(person)
    const whole = await startInParts(person)
    expect((await putBytes(whole, whole.bytes)).status).toBe(200)
    app.clock.advance(16 * minute)
    const files = [await makeFile(person), await makeFile(person), await makeFile(person)]
    for (const { cloudKey } of [parted, whole]) {
      await expectRefusal(await confirm(person, cloudKey), 403, 'TIER_FILE_COUNT')
      expect(await listParts(person, cloudKey)).toEqual(allWithoutChecksums)
    }
    for (const { id } of files.slice(0, 2)) {
      await person.fetch(`/api/files/${id}`, { method: 'DELETE' })
    }
    for (const upload of [parted, whole]) {
      const claim = { sha256: sha256(upload.bytes) }
      const file = await json<File>(await confirm(person, upload.cloudKey, claim))
      expect(await download(file)).toEqual(upload.bytes)
    }
  })
})

describe("a part's presigned URL", () => {
  it('takes nothing when any of it was altered', async () => {
    const person = await makePerson(app)
    const [upload, another] = [await startInParts(person), await startInParts(person)]
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    const changes: [string | RegExp, string][] = [
      [upload.cloudKey, another.cloudKey],
      ['part=1', 'part=2'],
      ['offset=0', 'offset=10'],
      ['size=10', 'size=1000'],
      ['operation=part', 'operation=put'],
      [/until=(\d)/, 'until=9'],
      [/.$/, '~'],
      [/signature=.*$/, 'signature='],
    ]
    for (const [from, to] of changes) {
      const forged = url.replace(from, to)
      expect(forged).not.toBe(url)
      const body = Buffer.alloc(forged.includes('size=1000') ? 1000 : 10)
      const answer = await send(forged, {
        method: 'PUT',
        headers: { 'content-type': 'text/plain' },
        body,
      })
      expect([forged, answer.status, codeOf(answer)]).toEqual([forged, 403, 'SIGNATURE_INVALID'])
    }
    expect(await listParts(person, upload.cloudKey)).toEqual([])
    expect(await listParts(person, another.cloudKey)).toEqual([])
    await expectGoesOn(person, upload)
  })

  it('lives one hour, after which the part is signed anew', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    const [first = '', second = ''] = await signParts(person, upload.cloudKey, [1, 2])
    app.clock.advance(hour - 1)
    expect((await putPart(first, pieceOf(upload, 1))).status).toBe(200)
    app.clock.advance(1)
    await expectRefusal(await putPart(second, pieceOf(upload, 2)), 403, 'SIGNATURE_EXPIRED')
    await expectGoesOn(person, upload)
  })

  it('takes the part again, and what came last counts', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    expect((await putPart(url, new Uint8Array(10))).status).toBe(200)
    expect((await putPart(url, pieceOf(upload, 1))).status).toBe(200)
    await expectGoesOn(person, upload)
  })

  it('changes nothing once the upload is confirmed', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    await sendParts(person, upload, [1, 2, 3])
    const file = await json<File>(await confirm(person, upload.cloudKey))
    await expectRefusal(await putPart(url, new Uint8Array(10)), 409, 'UPLOAD_SEALED')
    await expectRefusal(await sign(person, upload.cloudKey, [1]), 404, 'UPLOAD_NOT_FOUND')
    await expectRefusal(await list(person, upload.cloudKey), 404, 'UPLOAD_NOT_FOUND')
    expect(await download(file)).toEqual(upload.bytes)
  })

  it('stores nothing once the upload is aborted, of which nothing stays', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    await sendParts(person, upload, [2, 3])
    expect(await onDisk(upload.cloudKey)).toHaveLength(2)
    expect((await abort(person, upload.cloudKey)).status).toBe(200)
    await expectRefusal(await putPart(url, pieceOf(upload, 1)), 404, 'UPLOAD_NOT_FOUND')
    await expectRefusal(await sign(person, upload.cloudKey, [1]), 404, 'UPLOAD_NOT_FOUND')
    await expectRefusal(await list(person, upload.cloudKey), 404, 'UPLOAD_NOT_FOUND')
    expect(await onDisk(upload.cloudKey)).toEqual([])
  })
})

describe('what a part may hold', () => {
  const type = { 'content-type': 'text/plain' }
  const chunked = { ...type, 'transfer-encoding': 'chunked' }

  it.each([
    ['a byte too many', type, 11, 413, 'FILE_TOO_LARGE'],
    ['a byte too few', type, 9, 400, 'UPLOAD_INCOMPLETE'],
    ['nothing', type, 0, 400, 'UPLOAD_INCOMPLETE'],
    ['too many bytes of no announced length', chunked, 5000, 413, 'FILE_TOO_LARGE'],
    ['too few bytes of no announced length', chunked, 9, 400, 'UPLOAD_INCOMPLETE'],
    ['another type', { 'content-type': 'text/html' }, 10, 403, 'SIGNATURE_INVALID'],
    [
      'bytes with another checksum',
      { ...type, 'x-amz-checksum-crc32': 'AAAAAA==' },
      10,
      409,
      'CHECKSUM_MISMATCH',
    ],
    [
      'a checksum that is none',
      { ...type, 'x-amz-checksum-crc32': '12' },
      10,
      400,
      'INVALID_INPUT',
    ],
    ['a range', { ...type, range: 'bytes=5-' }, 5, 400, 'INVALID_INPUT'],
  ])('is not %s', async (_, headers, length, status, code) => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    await sendParts(person, upload, [2])
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    const answer = await send(url, { method: 'PUT', headers, body: Buffer.alloc(length, 1) })
    expect([answer.status, codeOf(answer)]).toEqual([status, code])
    expect(await listParts(person, upload.cloudKey)).toEqual([listed(2, pieceOf(upload, 2))])
    await expectGoesOn(person, upload)
  })

  it.each([
    ['the whole file', async ({ uploadUrl }: StartedUpload) => uploadUrl],
    [
      'its one part',
      async ({ cloudKey }: StartedUpload, person: Person) =>
        (await signParts(person, cloudKey, [1]))[0] ?? '',
    ],
  ] as const)('is never more than a declared 1 KB, sent as %s', async (_, urlOf) => {
    const person = await makePerson(app)
    const started = await startUpload(person, { size: 1024 })
    const url = await urlOf(started, person)
    for (const headers of [type, chunked]) {
      const answer = await send(url, { method: 'PUT', headers, body: Buffer.alloc(4 * mebibyte) })
      expect([answer.status, codeOf(answer)]).toEqual([413, 'FILE_TOO_LARGE'])
      expect((await app.storage.storedSize(started.cloudKey)) ?? 0).toBe(0)
    }
    const early = await confirm(person, started.cloudKey)
    await expectRefusal(early, 400, 'UPLOAD_INCOMPLETE')
    const bytes = new Uint8Array(randomBytes(1024))
    expect((await putPart(url, bytes)).status).toBe(200)
    expect(await download(await json<File>(await confirm(person, started.cloudKey)))).toEqual(bytes)
  })
})

describe('confirming an upload in parts', () => {
  it.each([[[1]], [[1, 2]], [[2, 3]], [[1, 3]]])(
    'is refused while only the parts %j are there',
    async (partNumbers) => {
      const person = await makePerson(app)
      const upload = await startInParts(person)
      await sendParts(person, upload, partNumbers)
      const early = await confirm(person, upload.cloudKey)
      await expectRefusal(early, 400, 'UPLOAD_INCOMPLETE')
      const held = (await listParts(person, upload.cloudKey)).map(({ partNumber }) => partNumber)
      expect(held).toEqual(partNumbers)
      await expectGoesOn(person, upload)
    },
  )

  it('leaves no list of parts behind', async () => {
    const person = await makePerson(app)
    const upload = await sendAll(person)
    expect((await confirm(person, upload.cloudKey)).status).toBe(200)
    expect(await onDisk(upload.cloudKey)).toEqual([
      join('files', upload.cloudKey.slice(0, 2), upload.cloudKey),
    ])
  })

  it('gives way to the whole file, sent in place of the parts', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    await sendParts(person, upload, [1, 2])
    expect((await putBytes(upload, upload.bytes)).status).toBe(200)
    expect(await listParts(person, upload.cloudKey)).toEqual(allWithoutChecksums)
    const file = await json<File>(await confirm(person, upload.cloudKey))
    expect(await download(file)).toEqual(upload.bytes)
  })
})

describe('the SHA-256 of a file', () => {
  it('is kept as storage reckons it, whether or not it is claimed', async () => {
    const person = await makePerson(app)
    for (const claim of [{}, 'claimed']) {
      const { cloudKey, bytes } = await sendAll(person)
      const more = claim === 'claimed' ? { sha256: sha256(bytes) } : {}
      const file = await json<File>(await confirm(person, cloudKey, more))
      expect(file.sha256).toBe(sha256(bytes))
      const again = await json<File>(await confirm(person, cloudKey, { sha256: sha256(bytes) }))
      expect(again).toEqual(file)
      await expectRefusal(
        await confirm(person, cloudKey, { sha256: 'f'.repeat(64) }),
        409,
        'CHECKSUM_MISMATCH',
      )
      expect(await download(file)).toEqual(bytes)
    }
  })

  it.each(['', 'x', 'A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), 7, null, {}])(
    'is not %j: the claim is refused and the bytes stay',
    async (claim) => {
      const person = await makePerson(app)
      const upload = await sendAll(person)
      const refused = await confirm(person, upload.cloudKey, { sha256: claim })
      await expectRefusal(refused, 400, 'INVALID_INPUT')
      await expectGoesOn(person, upload)
    },
  )

  it('removes bytes that differ from the claim, which can be sent anew', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(person)
    await sendParts(person, { ...upload, bytes: new Uint8Array(25) }, [1, 2, 3])
    const claim = { sha256: sha256(upload.bytes) }
    const refused = await confirm(person, upload.cloudKey, claim)
    await expectRefusal(refused, 409, 'CHECKSUM_MISMATCH')
    expect(await onDisk(upload.cloudKey)).toEqual([])
    expect(await listParts(person, upload.cloudKey)).toEqual([])
    await expectRefusal(await confirm(person, upload.cloudKey, claim), 400, 'UPLOAD_INCOMPLETE')
    expect((await putBytes(upload, upload.bytes)).status).toBe(200)
    const file = await json<File>(await confirm(person, upload.cloudKey, claim))
    expect(await download(file)).toEqual(upload.bytes)
  })

  it('never removes a file, whichever of two different claims comes first', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    for (let round = 0; round < 10; round += 1) {
      const { cloudKey, bytes } = await sendAll(person)
      const claims = [sha256(bytes), 'f'.repeat(64), sha256(bytes), 'e'.repeat(64)]
      const answers = await Promise.all(
        claims.map((claim) => confirm(person, cloudKey, { sha256: claim })),
      )
      for (const [at, answer] of answers.entries()) {
        const right = claims[at] === sha256(bytes)
        if (right && answer.ok) expect(await download(await json<File>(answer))).toEqual(bytes)
        // The bytes are gone already, by the other claim.
        else if (answer.status === 400) await expectRefusal(answer, 400, 'UPLOAD_INCOMPLETE')
        else expect({ right, status: answer.status }).toEqual({ right: false, status: 409 })
      }
    }
    const files = await json<File[]>(await person.fetch('/api/files'))
    await Promise.all(files.map(download))
  })

  it('is what the client claims where storage does not see the bytes', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const blind = {
      ...app.storage,
      seal: async (key: string, size: number) => {
        await app.storage.seal(key, size)
        return null
      },
    }
    const deps = { ...app.deps, ...prepareUploads(app.deps.db), stores: createStores(blind) }
    const owner = { id: person.id, tier: 'premium' } as const
    for (const claim of ['a'.repeat(64), undefined]) {
      const { cloudKey } = await sendAll(person)
      const file = await confirmUpload(deps, owner, { cloudKey, sha256: claim })
      expect(file.sha256).toBe(claim ?? null)
    }
  })
})

describe('the places of a free user', () => {
  it('are three, however many uploads in parts are started and confirmed at once', async () => {
    const person = await makePerson(app)
    const fileSize = 8 * mebibyte + 1
    const wish = { fileName: 'a', fileSize, fileType: 'text/plain', expirationDays: '3' }
    const starts = await Promise.all(
      Array.from({ length: 20 }, () => person.post('/api/files/get-upload-url', wish)),
    )
    const granted = starts.filter(({ status }) => status === 200)
    expect(granted).toHaveLength(3)
    for (const answer of granted) {
      await abort(person, (await json<StartedUpload>(answer)).cloudKey)
    }

    // Uploads that were idle hold no place, so more of them than places can be finished.
    const six: InParts[] = []
    for (let n = 0; n < 6; n += 1) {
      if (n === 3) app.clock.advance(16 * minute)
      six.push(await sendAll(person))
    }
    app.clock.advance(16 * minute)
    const confirms = await Promise.all(
      Array.from({ length: 20 }, (_, at) => confirm(person, six[at % 6]?.cloudKey ?? '')),
    )
    const files = await json<File[]>(await person.fetch('/api/files'))
    expect(files).toHaveLength(3)
    const made = await Promise.all(
      confirms.filter(({ status }) => status === 200).map((answer) => json<File>(answer)),
    )
    expect(new Set(made.map(({ id }) => id))).toEqual(new Set(files.map(({ id }) => id)))
    for (const refused of confirms.filter(({ status }) => status !== 200)) {
      await expectRefusal(refused, 403, 'TIER_FILE_COUNT')
    }
  })

  it('are held by signing and by listing as they are by sending', async () => {
    const person = await makePerson(app)
    const three = [await startInParts(person), await startInParts(person)]
    three.push(await startInParts(person))
    app.clock.advance(14 * minute)
    await signParts(person, three[0]?.cloudKey ?? '', [1])
    await listParts(person, three[1]?.cloudKey ?? '')
    await sendParts(person, three[2] as InParts, [1])
    app.clock.advance(14 * minute)
    const wish = { fileName: 'a', fileSize: 1, fileType: '', expirationDays: '3' }
    expect((await person.post('/api/files/get-upload-url', wish)).status).toBe(403)
    app.clock.advance(minute)
    expect((await person.post('/api/files/get-upload-url', wish)).status).toBe(200)
  })

  it('go to those who took them when an idle upload is taken up again', async () => {
    const person = await makePerson(app)
    const idle = await startInParts(person)
    app.clock.advance(16 * minute)
    const three = [await sendAll(person), await sendAll(person), await sendAll(person)]
    await sendParts(person, idle, [1, 2, 3])

    await expectRefusal(await confirm(person, idle.cloudKey), 403, 'TIER_FILE_COUNT')
    const files: File[] = []
    for (const { cloudKey } of three) {
      const confirmed = await confirm(person, cloudKey)
      expect(confirmed.status).toBe(200)
      files.push(await json<File>(confirmed))
    }
    await expectRefusal(await confirm(person, idle.cloudKey), 403, 'TIER_FILE_COUNT')
    expect(await json<File[]>(await person.fetch('/api/files'))).toHaveLength(3)

    await person.fetch(`/api/files/${files[0]?.id}`, { method: 'DELETE' })
    const late = await json<File>(await confirm(person, idle.cloudKey))
    expect(await download(late)).toEqual(idle.bytes)
  })
})

describe('the sweeps', () => {
  it('end an upload in parts that was idle for 24 h, with all its bytes', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const old = await startInParts(person)
    await sendParts(person, old, [2])
    app.clock.advance(1000)
    const young = await startInParts(person)
    await sendParts(person, young, [2])
    app.clock.advance(24 * hour - 999)
    await sweepUploads(app.deps)
    expect(await onDisk(old.cloudKey)).toEqual([])
    await expectRefusal(await list(person, old.cloudKey), 404, 'UPLOAD_NOT_FOUND')
    await expectGoesOn(person, young)
  })

  it('remove parts that no row names, and no others', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const [lost, kept] = [await startInParts(person), await startInParts(person)]
    for (const upload of [lost, kept]) await sendParts(person, upload, [1, 2])
    await app.deps.db.delete(uploads).where(eq(uploads.cloudKey, lost.cloudKey))
    const before = app.clock()
    // Objects carry the time of the real disk, so the clock is set around that.
    app.clock.set(new Date(Date.now() + 24 * hour + minute))
    await sweepOrphans(app.deps)
    app.clock.set(before)
    expect(await onDisk(lost.cloudKey)).toEqual([])
    await expectGoesOn(person, kept)
  })
})
