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
    const of = cutUpload(disk, 2, 100)
    await of.put(2)
    const { ended, finish } = await of.begin(1)
    expect(await of.whole.offset()).toBe(0)
    const answer = await of.whole.put(of.bytes.subarray(50), { Range: 'bytes=50-' })
    expect(refusalOf(answer)).toEqual([416, 'OFFSET_MISMATCH'])
    expect(answer.headers['upload-offset']).toBe('0')
    finish()
    expect(await ended).toMatchObject({ status: 200 })
    expect(await of.held()).toEqual([1, 2])
  })

  it.each([{}, { Range: 'bytes=0-' }])(
    'is the whole file if that was started last: %o',
    async (headers) => {
      const of = cutUpload(disk, 3, 1000)
      await of.put(3, {}, randomBytes(500))
      const running = await of.begin(2)
      expect((await of.whole.put(of.bytes, headers)).status).toBe(200)
      const answer = await running.ended
      if (answer !== 'cut') expect(answer).toMatchObject({ status: 409, code: 'UPLOAD_SUPERSEDED' })
      expect(await of.left()).toEqual([of.key])
      expect(await of.held()).toEqual([])
      expect(await of.seal()).toBe(of.sha256)
    },
  )

  it('resumes an interrupted whole file despite earlier parts', async () => {
    const of = cutUpload(disk, 3, 1000)
    await of.put(3)
    await of.whole.put(of.bytes.subarray(0, 700), chunked)
    expect(await of.whole.offset()).toBe(700)
    await of.whole.put(of.bytes.subarray(700), { Range: 'bytes=700-' })
    expect(await of.seal()).toBe(of.sha256)
  })

  it('consists of its parts if one was started last, even during a whole-file upload', async () => {
    const of = cutUpload(disk, 3, 1000)
    await of.whole.put(randomBytes(of.bytes.length))
    await of.putAll()
    expect(await of.held()).toEqual([1, 2, 3])
    const { client, write } = await of.whole.open({ 'Content-Length': of.bytes.length })
    await write(of.bytes.subarray(0, 2000))
    await of.whole.untilStored(2000)
    expect((await of.put(1)).status).toBe(200)
    client.destroy()
    expect(await of.held()).toEqual([1])
    await Promise.all([of.put(2), of.put(3)])
    expect(await of.seal()).toBe(of.sha256)
  })
})
