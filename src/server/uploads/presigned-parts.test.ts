import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  listParts,
  makePerson,
  type Person,
  type StartedUpload,
  signParts,
  startUpload,
} from '../../../tests/support/make.ts'
import {
  expectGoesOn,
  listed,
  onDisk,
  pieceOf,
  putPart,
  sendParts,
  startInParts,
} from '../../../tests/support/parted-uploads.ts'
import { refusalOf, send } from '../../../tests/support/send.ts'
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

const hour = 3_600_000
const mebibyte = 1024 ** 2

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe("a part's presigned URL", () => {
  it('takes nothing when anything in it was altered', async () => {
    const person = await makePerson(app)
    const [upload, another] = [await startInParts(app, person), await startInParts(app, person)]
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
      expect([forged, ...refusalOf(answer)]).toEqual([forged, 403, 'SIGNATURE_INVALID'])
    }
    expect(await listParts(person, upload.cloudKey)).toEqual([])
    expect(await listParts(person, another.cloudKey)).toEqual([])
    await expectGoesOn(app, person, upload)
  })

  it('lives one hour, after which the part is signed anew', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(app, person)
    const [first = '', second = ''] = await signParts(person, upload.cloudKey, [1, 2])
    app.clock.advance(hour - 1)
    expect((await putPart(first, pieceOf(upload, 1))).status).toBe(200)
    app.clock.advance(1)
    await expectRefusal(await putPart(second, pieceOf(upload, 2)), 403, 'SIGNATURE_EXPIRED')
    await expectGoesOn(app, person, upload)
  })

  it('takes its part again, and what came last counts', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(app, person)
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    expect((await putPart(url, new Uint8Array(10))).status).toBe(200)
    expect((await putPart(url, pieceOf(upload, 1))).status).toBe(200)
    await expectGoesOn(app, person, upload)
  })

  it('changes nothing once the upload is confirmed', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(app, person)
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    await sendParts(person, upload, [1, 2, 3])
    const file = await json<File>(await confirm(person, upload.cloudKey))
    await expectRefusal(await putPart(url, new Uint8Array(10)), 409, 'UPLOAD_SEALED')
    await expectRefusal(await askForParts(person, upload.cloudKey, [1]), 404, 'UPLOAD_NOT_FOUND')
    await expectRefusal(await askForList(person, upload.cloudKey), 404, 'UPLOAD_NOT_FOUND')
    expect(await download(app, file)).toEqual(upload.bytes)
  })

  it('stores nothing once the upload is aborted: nothing of that stays', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(app, person)
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    await sendParts(person, upload, [2, 3])
    expect(await onDisk(app, upload.cloudKey)).toHaveLength(2)
    expect((await abort(person, upload.cloudKey)).status).toBe(200)
    await expectRefusal(await putPart(url, pieceOf(upload, 1)), 404, 'UPLOAD_NOT_FOUND')
    await expectRefusal(await askForParts(person, upload.cloudKey, [1]), 404, 'UPLOAD_NOT_FOUND')
    await expectRefusal(await askForList(person, upload.cloudKey), 404, 'UPLOAD_NOT_FOUND')
    expect(await onDisk(app, upload.cloudKey)).toEqual([])
  })
})

describe('the body of a part', () => {
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
    const upload = await startInParts(app, person)
    await sendParts(person, upload, [2])
    const [url = ''] = await signParts(person, upload.cloudKey, [1])
    const answer = await send(url, { method: 'PUT', headers, body: Buffer.alloc(length, 1) })
    expect(refusalOf(answer)).toEqual([status, code])
    expect(await listParts(person, upload.cloudKey)).toEqual([listed(2, pieceOf(upload, 2))])
    await expectGoesOn(app, person, upload)
  })

  it.each([
    ['the whole file', async ({ uploadUrl }: StartedUpload) => uploadUrl],
    [
      'its one part',
      async ({ cloudKey }: StartedUpload, person: Person) =>
        (await signParts(person, cloudKey, [1]))[0] ?? '',
    ],
  ] as const)('stores no more than a declared 1 KB, sent as %s', async (_, urlOf) => {
    const person = await makePerson(app)
    const started = await startUpload(person, { size: 1024 })
    const url = await urlOf(started, person)
    for (const headers of [type, chunked]) {
      const answer = await send(url, { method: 'PUT', headers, body: Buffer.alloc(4 * mebibyte) })
      expect(refusalOf(answer)).toEqual([413, 'FILE_TOO_LARGE'])
      expect((await app.storage.storedSize(started.cloudKey)) ?? 0).toBe(0)
    }
    const early = await confirm(person, started.cloudKey)
    await expectRefusal(early, 400, 'UPLOAD_INCOMPLETE')
    const bytes = new Uint8Array(randomBytes(1024))
    expect((await putPart(url, bytes)).status).toBe(200)
    expect(await download(app, await json<File>(await confirm(person, started.cloudKey)))).toEqual(
      bytes,
    )
  })
})
