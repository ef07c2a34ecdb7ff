import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunked, cutUpload } from '../../../../tests/support/disk-uploads.ts'
import { refusalOf } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('parts', () => {
  it('are written to their offsets in one file, in any order', async () => {
    const of = cutUpload(disk, 9, 64 * 1024)
    for (const partNumber of [9, 4, 1, 8, 2, 7, 3, 6, 5]) {
      expect((await of.put(partNumber)).status).toBe(200)
    }
    expect((await of.stored()).equals(of.bytes)).toBe(true)
    expect(await of.seal()).toBe(of.sha256)
    expect(await of.left()).toEqual([])
  })

  it('can be uploaded concurrently', async () => {
    const of = cutUpload(disk, 4, 3 * MiB)
    const puts = await Promise.all(of.partNumbers.map((partNumber) => of.begin(partNumber)))
    for (const { finish } of puts.toReversed()) finish()
    for (const { ended } of puts) expect(await ended).toMatchObject({ status: 200 })
    expect((await of.stored()).equals(of.bytes)).toBe(true)
  })
})

describe('HEAD of a part', () => {
  it('reports whether the part is stored', async () => {
    const of = cutUpload(disk, 2, 100)
    expect(await of.headOf(1)).toEqual([200, 0])
    await of.put(1)
    expect(await of.headOf(1)).toEqual([200, 100])
    await of.put(2)
    await of.seal()
    disk.ended.add(of.key)
    expect(await of.headOf(1)).toEqual([200, 100])
  })

  it('answers 404 when the upload was aborted', async () => {
    const of = cutUpload(disk, 1, 100)
    disk.ended.add(of.key)
    expect(await of.headOf(1)).toEqual([404, Number.NaN])
  })
})

describe('an incomplete or invalid part', () => {
  it('is not stored when the client disconnects, but other parts are', async () => {
    const of = cutUpload(disk, 3, MiB)
    await of.put(3)
    const { client, ended } = await of.begin(2)
    await of.put(1)
    client.destroy()
    expect(await ended).toBe('cut')
    await disk.storage.idle()
    expect(await of.held()).toEqual([1, 3])
    expect(await disk.storage.storedSize(of.key)).toBe(1.5 * MiB)
    await of.put(2)
    expect(await of.seal()).toBe(of.sha256)
  })

  it.each([
    ['ends early', 99, 400, 'UPLOAD_INCOMPLETE'],
    ['is too long', 101, 413, 'FILE_TOO_LARGE'],
  ])(
    'is rejected and not stored when its body is chunked and %s',
    async (_, length, status, code) => {
      const of = cutUpload(disk, 2, 100)
      await of.put(2)
      const headers = chunked
      const answer = await of.put(1, headers, randomBytes(length))
      expect(refusalOf(answer)).toEqual([status, code])
      expect(await of.held()).toEqual([2])
      expect((await of.stored()).subarray(100).equals(of.bytesOf(2))).toBe(true)
    },
  )

  it.each([
    [101, 413, 'FILE_TOO_LARGE'],
    [99, 400, 'UPLOAD_INCOMPLETE'],
  ])(
    'is rejected before its body arrives if the Content-Length is %i instead of 100',
    async (length, status, code) => {
      const of = cutUpload(disk, 2, 100)
      await of.put(1)
      const { client, ended } = await of.open(1, { 'Content-Length': length })
      client.flushHeaders()
      expect(await ended).toMatchObject({ status, code })
      expect(await of.held()).toEqual([1])
    },
  )

  it.each([{ Range: 'bytes=0-' }, { Range: 'bytes=50-' }, { 'Content-Range': 'bytes 0-9/10' }])(
    'is rejected with a range header: %o',
    async (headers) => {
      const of = cutUpload(disk, 2, 100)
      await of.put(1)
      expect(refusalOf(await of.put(1, headers))).toEqual([400, 'INVALID_INPUT'])
      expect(await of.held()).toEqual([1])
    },
  )
})

describe('a part that is sent again', () => {
  it('is not stored until it has arrived completely', async () => {
    const of = cutUpload(disk, 2, 100)
    await of.putAll()
    const { ended, finish } = await of.begin(1)
    await of.untilHeld(2)
    await expect(of.seal()).rejects.toMatchObject({
      name: 'SizeMismatch',
      actual: 50,
    })
    finish()
    expect(await ended).toMatchObject({ status: 200 })
    expect(await of.seal()).toBe(of.sha256)
  })

  it('supersedes an earlier request that hangs', async () => {
    const of = cutUpload(disk, 2, MiB)
    const other = await of.begin(2)
    const older = await of.begin(1)
    expect((await of.put(1)).status).toBe(200)
    const answer = await older.ended
    if (answer !== 'cut') expect(answer).toMatchObject({ status: 409, code: 'UPLOAD_SUPERSEDED' })
    other.finish()
    expect(await other.ended).toMatchObject({ status: 200 })
    expect((await of.stored()).equals(of.bytes)).toBe(true)
  })

  it('is stored intact after many concurrent attempts', async () => {
    const of = cutUpload(disk, 1, 4 * MiB)
    const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(of.bytes.length, index))
    const answers = await Promise.allSettled(bodies.map((body) => of.put(1, {}, body)))
    for (const answer of answers) {
      if (answer.status === 'fulfilled') expect([200, 409]).toContain(answer.value.status)
    }
    expect((await of.put(1)).status).toBe(200)
    expect(await of.seal()).toBe(of.sha256)
  })
})
