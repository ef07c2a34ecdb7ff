import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  listParts,
  makeClient,
  makePerson,
  type StartedUpload,
  sha256,
  signParts,
  startUpload,
} from '../../../tests/support/make.ts'
import {
  expectGoesOn,
  listed,
  pieceOf,
  putPart,
  sendParts,
  startInParts,
} from '../../../tests/support/parted-uploads.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  abort,
  askForList,
  askForParts,
  confirm,
  download,
  expectRefusal,
} from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { firstPartsSigned } from '../../shared/rules/files/part-plan.ts'
import { createStores } from '../storage/stores.ts'
import { signParts as signPartsAt } from './upload-parts.ts'

const hour = 3_600_000
const mebibyte = 1024 ** 2

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('the offer of parts', () => {
  it.each([
    [0, undefined],
    [8 * mebibyte, undefined],
    [8 * mebibyte + 1, { size: 8 * mebibyte, count: 2 }],
    [1024 * mebibyte, { size: 8 * mebibyte, count: 128 }],
  ])('for %i bytes is %j, with the first ones signed', async (fileSize, plan) => {
    const person = await makePerson(app, { tier: 'premium' })
    const response = await person.post('/api/files/get-upload-url', {
      fileName: 'a',
      fileSize,
      fileType: '',
      expirationDays: '3',
    })
    const started = await json<StartedUpload>(response)
    expect(started).toMatchObject({ checksum: 'crc32', store: 'disk', computesSha256: true })
    const urls = Array.from({ length: Math.min(plan?.count ?? 0, firstPartsSigned) }, (_, at) => [
      String(at + 1),
      expect.stringContaining('/storage/'),
    ])
    expect(started.parts).toEqual(plan && { ...plan, urls: Object.fromEntries(urls) })
  })

  it('leads to the very file without another call before the confirmation', async () => {
    const person = await makePerson(app)
    const bytes = new Uint8Array(randomBytes(8 * mebibyte + 5))
    const { cloudKey, parts } = await startUpload(person, { size: bytes.length })
    const second = await putPart(parts?.urls[2] ?? '', bytes.subarray(8 * mebibyte))
    const first = await putPart(parts?.urls[1] ?? '', bytes.subarray(0, 8 * mebibyte))
    expect([second.status, first.status]).toEqual([200, 200])
    const confirmed = await confirm(person, cloudKey, { sha256: sha256(bytes) })
    expect(sha256(await download(app, await json<File>(confirmed)))).toBe(sha256(bytes))
  })

  it('lasts as long as what is signed later: an hour, for that part alone', async () => {
    const person = await makePerson(app)
    const { cloudKey, parts } = await startUpload(person, { size: 8 * mebibyte + 5 })
    const last = parts?.urls[2] ?? ''
    const other = (parts?.urls[1] ?? '').replace(/part=1\b/, 'part=2')
    expect(other).not.toBe(parts?.urls[1])
    const statuses = async (url: string) => (await putPart(url, new Uint8Array(5))).status
    expect(await statuses(other)).toBe(403)
    app.clock.advance(hour - 1)
    expect(await statuses(last)).toBe(200)
    app.clock.advance(1)
    expect(await statuses(last)).toBe(403)
    expect(await listParts(person, cloudKey)).toHaveLength(1)
    app.clock.advance(-hour)
  })

  it('leads to the very file and its SHA-256, sent in any order and at once', async () => {
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
    expect(sha256(await download(app, file))).toBe(sha256(bytes))
    const details = await makeClient(app).fetch(`/api/links/${file.shortCode}`)
    expect(await details.json()).toMatchObject({ sha256: sha256(bytes) })
  })
})

describe('POST /api/files/upload-parts', () => {
  it('signs the parts that were asked for, each once', async () => {
    const person = await makePerson(app)
    const { cloudKey } = await startInParts(app, person)
    const response = await askForParts(person, cloudKey, [3, 1, 3])
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
    const upload = await startInParts(app, person)
    const response = await askForParts(person, upload.cloudKey, partNumbers)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^partNumbers(\.\d)?: /),
    })
    await expectGoesOn(app, person, upload)
  })

  it.each([[[4]], [[1, 10_000]]])(
    'refuses the parts %j of three, and the upload goes on',
    async (partNumbers) => {
      const person = await makePerson(app)
      const upload = await startInParts(app, person)
      const response = await askForParts(person, upload.cloudKey, partNumbers)
      await expectRefusal(response, 400, 'PART_NOT_FOUND')
      await expectGoesOn(app, person, upload)
    },
  )

  const noKeys = [undefined, '', 7, {}, 'x'.repeat(129), 'a\0b', 'a\ud800']
  it.each(noKeys)('refuses the key %j', async (key) => {
    const response = await askForParts(await makePerson(app), key, [1])
    await expectRefusal(response, 400, 'INVALID_INPUT')
  })

  it('signs at the store that has the bytes, whichever takes new files', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(app, person)
    const elsewhere = {
      ...app.storage,
      name: 's3' as const,
      signParts: () => Promise.reject(new Error('not here')),
    }
    const deps = { ...app.deps, stores: createStores(elsewhere, app.storage) }
    const { cloudKey } = upload
    const { urls } = await signPartsAt(deps, person.id, { cloudKey, partNumbers: [1] })
    expect((await putPart(urls[1] ?? '', pieceOf(upload, 1))).status).toBe(200)
    await expectGoesOn(app, person, upload)
  })
})

describe("another user's upload", () => {
  it('cannot be signed for, listed, confirmed or aborted', async () => {
    const [owner, other] = [await makePerson(app), await makePerson(app, { role: 'admin' })]
    const upload = await startInParts(app, owner)
    await sendParts(owner, upload, [1, 3])
    const { cloudKey } = upload
    const calls = [askForParts(other, cloudKey, [1]), askForList(other, cloudKey)]
    calls.push(confirm(other, cloudKey), abort(other, cloudKey))
    for (const response of await Promise.all(calls)) {
      await expectRefusal(response, 404, 'UPLOAD_NOT_FOUND')
    }
    await expectGoesOn(app, owner, upload)
  })

  it.each(['nothing', '../../etc/passwd'])('cannot be told from %j, which is none', async (key) => {
    const person = await makePerson(app)
    await expectRefusal(await askForParts(person, key, [1]), 404, 'UPLOAD_NOT_FOUND')
    await expectRefusal(await askForList(person, key), 404, 'UPLOAD_NOT_FOUND')
  })

  it.each(['', '?cloudKey=', `?cloudKey=${'x'.repeat(129)}`, '?cloudKey=a%00b'])(
    'is not asked for by the query %j',
    async (query) => {
      const response = await (await makePerson(app)).fetch(`/api/files/upload-parts${query}`)
      await expectRefusal(response, 400, 'INVALID_INPUT')
    },
  )
})
