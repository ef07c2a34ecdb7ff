import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunkedEncoding, multipartUpload } from '../../../../tests/support/disk-uploads.ts'
import { statusAndErrorCode } from '../../../../tests/support/send.ts'

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('an upload sent both in parts and as a whole file', () => {
  it('cannot be resumed as a whole file while parts arrive, and the attempt does not disturb them', async () => {
    const upload = multipartUpload(disk, 2, 100)
    await upload.put(2)
    const { outcome, finish } = await upload.startPart(1)
    expect(await upload.single.offset()).toBe(0)
    const response = await upload.single.put(upload.bytes.subarray(50), { Range: 'bytes=50-' })
    expect(statusAndErrorCode(response)).toEqual([416, 'OFFSET_MISMATCH'])
    expect(response.headers['upload-offset']).toBe('0')
    finish()
    expect(await outcome).toMatchObject({ status: 200 })
    expect(await upload.completeParts()).toEqual([1, 2])
  })

  it.each([{}, { Range: 'bytes=0-' }])(
    'counts as the whole file if that was started last: %o',
    async (headers) => {
      const upload = multipartUpload(disk, 3, 1000)
      await upload.put(3, {}, randomBytes(500))
      const partRequest = await upload.startPart(2)
      expect((await upload.single.put(upload.bytes, headers)).status).toBe(200)
      const response = await partRequest.outcome
      if (response !== 'cut')
        expect(response).toMatchObject({ status: 409, code: 'UPLOAD_SUPERSEDED' })
      expect(await upload.remainingFiles()).toEqual([upload.key])
      expect(await upload.completeParts()).toEqual([])
      expect(await upload.seal()).toBe(upload.sha256)
    },
  )

  it('resumes an interrupted whole file despite earlier parts', async () => {
    const upload = multipartUpload(disk, 3, 1000)
    await upload.put(3)
    await upload.single.put(upload.bytes.subarray(0, 700), chunkedEncoding)
    expect(await upload.single.offset()).toBe(700)
    await upload.single.put(upload.bytes.subarray(700), { Range: 'bytes=700-' })
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('counts as its parts if one was started last, even during a whole-file upload', async () => {
    const upload = multipartUpload(disk, 3, 1000)
    await upload.single.put(randomBytes(upload.bytes.length))
    await upload.putAll()
    expect(await upload.completeParts()).toEqual([1, 2, 3])
    const { client, write } = await upload.single.open({ 'Content-Length': upload.bytes.length })
    await write(upload.bytes.subarray(0, 2000))
    await upload.single.waitUntilStored(2000)
    expect((await upload.put(1)).status).toBe(200)
    client.destroy()
    expect(await upload.completeParts()).toEqual([1])
    await Promise.all([upload.put(2), upload.put(3)])
    expect(await upload.seal()).toBe(upload.sha256)
  })
})
