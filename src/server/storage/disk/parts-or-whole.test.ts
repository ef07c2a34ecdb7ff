import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunked, cutUpload } from '../../../../tests/support/disk-uploads.ts'
import { refusalOf } from '../../../../tests/support/send.ts'

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('an upload sent both in parts and as a whole file', () => {
  it('cannot be resumed as a whole file while parts arrive, and the attempt does not disturb them', async () => {
    const upload = cutUpload(disk, 2, 100)
    await upload.put(2)
    const { ended, finish } = await upload.begin(1)
    expect(await upload.whole.offset()).toBe(0)
    const response = await upload.whole.put(upload.bytes.subarray(50), { Range: 'bytes=50-' })
    expect(refusalOf(response)).toEqual([416, 'OFFSET_MISMATCH'])
    expect(response.headers['upload-offset']).toBe('0')
    finish()
    expect(await ended).toMatchObject({ status: 200 })
    expect(await upload.held()).toEqual([1, 2])
  })

  it.each([{}, { Range: 'bytes=0-' }])(
    'is the whole file if that was started last: %o',
    async (headers) => {
      const upload = cutUpload(disk, 3, 1000)
      await upload.put(3, {}, randomBytes(500))
      const running = await upload.begin(2)
      expect((await upload.whole.put(upload.bytes, headers)).status).toBe(200)
      const response = await running.ended
      if (response !== 'cut')
        expect(response).toMatchObject({ status: 409, code: 'UPLOAD_SUPERSEDED' })
      expect(await upload.left()).toEqual([upload.key])
      expect(await upload.held()).toEqual([])
      expect(await upload.seal()).toBe(upload.sha256)
    },
  )

  it('resumes an interrupted whole file despite earlier parts', async () => {
    const upload = cutUpload(disk, 3, 1000)
    await upload.put(3)
    await upload.whole.put(upload.bytes.subarray(0, 700), chunked)
    expect(await upload.whole.offset()).toBe(700)
    await upload.whole.put(upload.bytes.subarray(700), { Range: 'bytes=700-' })
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('consists of its parts if one was started last, even during a whole-file upload', async () => {
    const upload = cutUpload(disk, 3, 1000)
    await upload.whole.put(randomBytes(upload.bytes.length))
    await upload.putAll()
    expect(await upload.held()).toEqual([1, 2, 3])
    const { client, write } = await upload.whole.open({ 'Content-Length': upload.bytes.length })
    await write(upload.bytes.subarray(0, 2000))
    await upload.whole.untilStored(2000)
    expect((await upload.put(1)).status).toBe(200)
    client.destroy()
    expect(await upload.held()).toEqual([1])
    await Promise.all([upload.put(2), upload.put(3)])
    expect(await upload.seal()).toBe(upload.sha256)
  })
})
