import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import {
  chunkedEncoding,
  singleUpload,
  uploadOffsetOf,
} from '../../../../tests/support/disk-uploads.ts'
import { statusAndErrorCode } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('HEAD of an upload URL', () => {
  it('returns the number of stored bytes and the total size', async () => {
    const upload = singleUpload(disk, 10)
    const response = await upload.head()
    expect(response.status).toBe(200)
    expect(response.headers).toMatchObject({
      'upload-offset': '0',
      'upload-length': '10',
      'cache-control': 'no-store',
    })
    await upload.put('0123456789')
    expect(await upload.offset()).toBe(10)
  })

  it('counts the bytes of a running transfer without interrupting it', async () => {
    const upload = singleUpload(disk, 3 * MiB)
    const bytes = randomBytes(3 * MiB)
    const { client, outcome, write } = await upload.open({ 'Content-Length': bytes.length })
    await write(bytes.subarray(0, MiB + 5))
    await upload.waitUntilStored(MiB + 5)
    client.end(bytes.subarray(MiB + 5))
    expect(await outcome).toMatchObject({ status: 200 })
    expect((await upload.stored()).equals(bytes)).toBe(true)
  })

  it('reports a sealed upload as complete', async () => {
    const upload = singleUpload(disk, 5)
    await upload.put('hello')
    await upload.seal()
    disk.endedKeys.add(upload.key)
    expect(await upload.head()).toMatchObject({ status: 200, headers: { 'upload-offset': '5' } })
  })

  it('answers 404 for an aborted upload, with the error code in a header', async () => {
    const upload = singleUpload(disk, 5)
    disk.endedKeys.add(upload.key)
    expect(await upload.head()).toMatchObject({
      status: 404,
      headers: { 'x-error-code': 'UPLOAD_NOT_FOUND' },
    })
  })
})

describe('PUT with Range: bytes=n-', () => {
  it('resumes at the stored offset', async () => {
    const upload = singleUpload(disk, 10)
    expect((await upload.put('0123', chunkedEncoding)).status).toBe(400)
    expect(await upload.offset()).toBe(4)
    const response = await upload.put('456789', { Range: 'bytes=4-' })
    expect([response.status, response.body.length, uploadOffsetOf(response)]).toEqual([200, 0, 10])
    expect((await upload.stored()).toString()).toBe('0123456789')
  })

  it('starts an empty file, and accepts an empty body for a complete one', async () => {
    const upload = singleUpload(disk, 5)
    expect((await upload.put('hello', { Range: 'bytes=0-4' })).status).toBe(200)
    expect((await upload.put('', { Range: 'bytes=5-' })).status).toBe(200)
    expect((await upload.stored()).toString()).toBe('hello')
  })

  it.each([3, 5, 10, 11])('rejects the wrong offset %i with the stored one', async (offset) => {
    const upload = singleUpload(disk, 10)
    await upload.put('0123', chunkedEncoding)
    const body = 'x'.repeat(Math.max(0, 10 - offset))
    const response = await upload.put(body, { Range: `bytes=${offset}-` })
    expect(statusAndErrorCode(response)).toEqual([416, 'OFFSET_MISMATCH'])
    expect(uploadOffsetOf(response)).toBe(4)
    expect((await upload.stored()).toString()).toBe('0123')
  })

  it.each([
    'bytes=-4',
    'bytes=4-6',
    'bytes=4-,5-',
    'bytes=x-',
    'bytes 4-9/10',
    'bytes=0x4-',
    '4-',
    `bytes=${'9'.repeat(40)}-`,
  ])('rejects %s instead of ignoring it', async (range) => {
    const upload = singleUpload(disk, 10)
    await upload.put('0123', chunkedEncoding)
    const response = await upload.put('456789', { Range: range })
    expect(statusAndErrorCode(response)).toEqual([400, 'INVALID_INPUT'])
    expect((await upload.stored()).toString()).toBe('0123')
  })

  it('rejects Content-Range', async () => {
    const upload = singleUpload(disk, 10)
    const response = await upload.put('0123456789', { 'Content-Range': 'bytes 0-9/10' })
    expect(statusAndErrorCode(response)).toEqual([400, 'INVALID_INPUT'])
  })
})

describe('PUT without a range', () => {
  it('starts over', async () => {
    const upload = singleUpload(disk, 5)
    await upload.put('hello')
    await upload.put('wo', chunkedEncoding)
    expect((await upload.stored()).toString()).toBe('wo')
  })
})

describe('overlapping and repeated PUTs', () => {
  it('resume where an earlier request hangs, without losing bytes', async () => {
    const upload = singleUpload(disk, 10)
    const { outcome, write } = await upload.open({ 'Content-Length': 10 })
    await write(Buffer.from('0123'))
    await upload.waitUntilStored(4)
    const newerResponse = await upload.put('456789', { Range: 'bytes=4-' })
    expect(newerResponse.status).toBe(200)
    const olderResponse = await outcome
    if (olderResponse !== 'cut')
      expect(olderResponse).toMatchObject({ status: 409, code: 'UPLOAD_SUPERSEDED' })
    expect((await upload.stored()).toString()).toBe('0123456789')
  })

  it('leave the file intact when many run concurrently', async () => {
    const upload = singleUpload(disk, 4 * MiB)
    const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(upload.grant.size, index))
    const responses = await Promise.allSettled(bodies.map((body) => upload.put(body)))
    const lastResponse = await upload.put(Buffer.alloc(upload.grant.size, 99))
    expect(lastResponse.status).toBe(200)
    for (const response of responses) {
      if (response.status === 'fulfilled') expect([200, 409]).toContain(response.value.status)
    }
    expect((await upload.stored()).equals(Buffer.alloc(upload.grant.size, 99))).toBe(true)
  })

  it('resume again and again after disconnects', async () => {
    const upload = singleUpload(disk, 6 * MiB)
    const bytes = randomBytes(upload.grant.size)
    let offset = 0
    for (let round = 1; round <= 5; round += 1) {
      const rangeHeader = offset > 0 ? { Range: `bytes=${offset}-` } : {}
      const remainingBytes = upload.grant.size - offset
      const { client, outcome, write } = await upload.open({
        'Content-Length': remainingBytes,
        ...rangeHeader,
      })
      await write(bytes.subarray(offset, offset + MiB + round))
      await upload.waitUntilStored(offset + MiB + round)
      client.destroy()
      expect(await outcome).toBe('cut')
      offset = await upload.offset()
      expect(offset).toBe(round * MiB + (round * (round + 1)) / 2)
    }
    const rangeHeader = { Range: `bytes=${offset}-` }
    const response = await upload.put(bytes.subarray(offset), rangeHeader)
    expect(response.status).toBe(200)
    expect((await upload.stored()).equals(bytes)).toBe(true)
  })
})

describe('a keep-alive connection', () => {
  it('serves the next request after a finished upload', async () => {
    const upload = singleUpload(disk, 5)
    const { pathname, search } = new URL(await upload.url())
    const socket = connect(disk.port, '127.0.0.1')
    const putRequest = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`
    socket.write(putRequest)
    await once(socket, 'data')
    socket.write(`HEAD ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const [response] = await once(socket, 'data')
    expect(String(response)).toContain('Upload-Offset: 5')
    socket.destroy()
  })
})
