import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunkedEncoding, multipartUpload } from '../../../../tests/support/disk-uploads.ts'
import { statusAndErrorCode } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('parts', () => {
  it('are written to their offsets in one file, in any order', async () => {
    const upload = multipartUpload(disk, 9, 64 * 1024)
    for (const partNumber of [9, 4, 1, 8, 2, 7, 3, 6, 5]) {
      expect((await upload.put(partNumber)).status).toBe(200)
    }
    expect((await upload.stored()).equals(upload.bytes)).toBe(true)
    expect(await upload.seal()).toBe(upload.sha256)
    expect(await upload.remainingFiles()).toEqual([])
  })

  it('can be uploaded concurrently', async () => {
    const upload = multipartUpload(disk, 4, 3 * MiB)
    const requests = await Promise.all(
      upload.partNumbers.map((partNumber) => upload.startPart(partNumber)),
    )
    for (const { finish } of requests.toReversed()) finish()
    for (const { outcome } of requests) expect(await outcome).toMatchObject({ status: 200 })
    expect((await upload.stored()).equals(upload.bytes)).toBe(true)
  })
})

describe('HEAD of a part', () => {
  it('reports whether the part is stored', async () => {
    const upload = multipartUpload(disk, 2, 100)
    expect(await upload.headPart(1)).toEqual([200, 0])
    await upload.put(1)
    expect(await upload.headPart(1)).toEqual([200, 100])
    await upload.put(2)
    await upload.seal()
    disk.endedKeys.add(upload.key)
    expect(await upload.headPart(1)).toEqual([200, 100])
  })

  it('answers 404 when the upload was aborted', async () => {
    const upload = multipartUpload(disk, 1, 100)
    disk.endedKeys.add(upload.key)
    expect(await upload.headPart(1)).toEqual([404, Number.NaN])
  })
})

describe('an incomplete or invalid part', () => {
  it('is not stored when the client disconnects, but other parts are', async () => {
    const upload = multipartUpload(disk, 3, MiB)
    await upload.put(3)
    const { client, outcome } = await upload.startPart(2)
    await upload.put(1)
    client.destroy()
    expect(await outcome).toBe('cut')
    await disk.storage.transfers.waitForIdle()
    expect(await upload.completeParts()).toEqual([1, 3])
    expect(await disk.storage.storedSize(upload.key)).toBe(1.5 * MiB)
    await upload.put(2)
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it.each([
    ['ends early', 99, 400, 'UPLOAD_INCOMPLETE'],
    ['is too long', 101, 413, 'FILE_TOO_LARGE'],
  ])(
    'is rejected and not stored when its body is chunked and %s',
    async (_, length, status, code) => {
      const upload = multipartUpload(disk, 2, 100)
      await upload.put(2)
      const headers = chunkedEncoding
      const response = await upload.put(1, headers, randomBytes(length))
      expect(statusAndErrorCode(response)).toEqual([status, code])
      expect(await upload.completeParts()).toEqual([2])
      expect((await upload.stored()).subarray(100).equals(upload.partBytes(2))).toBe(true)
    },
  )

  it.each([
    [101, 413, 'FILE_TOO_LARGE'],
    [99, 400, 'UPLOAD_INCOMPLETE'],
  ])(
    'is rejected before its body arrives if the Content-Length is %i instead of 100',
    async (length, status, code) => {
      const upload = multipartUpload(disk, 2, 100)
      await upload.put(1)
      const { client, outcome } = await upload.open(1, { 'Content-Length': length })
      client.flushHeaders()
      expect(await outcome).toMatchObject({ status, code })
      expect(await upload.completeParts()).toEqual([1])
    },
  )

  it.each([{ Range: 'bytes=0-' }, { Range: 'bytes=50-' }, { 'Content-Range': 'bytes 0-9/10' }])(
    'is rejected with a range header: %o',
    async (headers) => {
      const upload = multipartUpload(disk, 2, 100)
      await upload.put(1)
      expect(statusAndErrorCode(await upload.put(1, headers))).toEqual([400, 'INVALID_INPUT'])
      expect(await upload.completeParts()).toEqual([1])
    },
  )
})

describe('a part sent again', () => {
  it('is not stored until it has arrived completely', async () => {
    const upload = multipartUpload(disk, 2, 100)
    await upload.putAll()
    const { outcome, finish } = await upload.startPart(1)
    await upload.waitForParts(2)
    await expect(upload.seal()).rejects.toMatchObject({
      name: 'SizeMismatch',
      actual: 50,
    })
    finish()
    expect(await outcome).toMatchObject({ status: 200 })
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('supersedes an earlier request that hangs', async () => {
    const upload = multipartUpload(disk, 2, MiB)
    const otherPart = await upload.startPart(2)
    const hangingRequest = await upload.startPart(1)
    expect((await upload.put(1)).status).toBe(200)
    const response = await hangingRequest.outcome
    if (response !== 'cut')
      expect(response).toMatchObject({ status: 409, code: 'UPLOAD_SUPERSEDED' })
    otherPart.finish()
    expect(await otherPart.outcome).toMatchObject({ status: 200 })
    expect((await upload.stored()).equals(upload.bytes)).toBe(true)
  })

  it('is stored intact after many concurrent attempts', async () => {
    const upload = multipartUpload(disk, 1, 4 * MiB)
    const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(upload.bytes.length, index))
    const responses = await Promise.allSettled(bodies.map((body) => upload.put(1, {}, body)))
    for (const response of responses) {
      if (response.status === 'fulfilled') expect([200, 409]).toContain(response.value.status)
    }
    expect((await upload.put(1)).status).toBe(200)
    expect(await upload.seal()).toBe(upload.sha256)
  })
})
