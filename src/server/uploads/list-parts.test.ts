import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  listParts,
  makeFile,
  makePerson,
  putBytes,
  sha256,
  startUpload,
} from '../../../tests/support/make.ts'
import {
  allWithoutChecksums,
  listed,
  pieceOf,
  sendAll,
  sendParts,
  startInParts,
} from '../../../tests/support/parted-uploads.ts'
import { refusalOf, send } from '../../../tests/support/send.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { confirm, download, expectRefusal } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'

const minute = 60_000
const mebibyte = 1024 ** 2

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('GET /api/files/upload-parts', () => {
  it('tells the parts that are held and what each holds', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(app, person)
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
    'tells the one part of a file of %i bytes when it is there',
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

  it('tells no part while the whole file is on its way', async () => {
    const person = await makePerson(app)
    const { cloudKey, uploadUrl } = await startUpload(person, { size: 10 })
    const headers = { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' }
    const answer = await send(uploadUrl, { method: 'PUT', headers, body: Buffer.alloc(9) })
    expect(refusalOf(answer)).toEqual([400, 'UPLOAD_INCOMPLETE'])
    expect(await app.storage.storedSize(cloudKey)).toBe(9)
    expect(await listParts(person, cloudKey)).toEqual([])
  })

  it('tells all parts of a file that was sealed and then found no place', async () => {
    const person = await makePerson(app)
    const parted = await sendAll(app, person)
    const whole = await startInParts(app, person)
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
      expect(await download(app, file)).toEqual(upload.bytes)
    }
  })
})
