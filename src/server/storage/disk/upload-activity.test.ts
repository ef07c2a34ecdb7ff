import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { multipartUpload, singleUpload } from '../../../../tests/support/disk-uploads.ts'
import { send, statusAndErrorCode } from '../../../../tests/support/send.ts'

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())
beforeEach(() => {
  disk.shouldFailLookup = false
  disk.touchedKeys.length = 0
})

/** Waits until the server has read everything sent so far. */
function roundTrip() {
  return send(`http://127.0.0.1:${disk.port}/storage/`)
}

describe('a part in transit', () => {
  it('records activity when it starts, and then once a minute', async () => {
    const upload = multipartUpload(disk, 2, 100)
    await upload.put(2)
    const { client, outcome } = await upload.startPart(1)
    // The server records activity on a part at most once a minute, counted from when it opens the
    // file.
    const isOpen = async () => (await disk.openFiles()).some((path) => path.endsWith(upload.key))
    while (!(await isOpen())) await new Promise(setImmediate)
    await roundTrip()
    expect(disk.touchedKeys.splice(0)).toEqual([upload.key, upload.key])
    const steps = [
      [30, 0],
      [29, 0],
      [1, 1],
      [59, 1],
      [1, 2],
    ] as const
    for (const [at, [seconds, expectedTouches]] of steps.entries()) {
      disk.clock.advance(seconds * 1000)
      client.write(upload.partBytes(1).subarray(10 + at, 11 + at))
      await roundTrip()
      while (disk.touchedKeys.length < expectedTouches) await new Promise(setImmediate)
      expect(disk.touchedKeys).toHaveLength(expectedTouches)
    }
    client.end(upload.partBytes(1).subarray(15))
    expect(await outcome).toMatchObject({ status: 200 })
  })

  it('ends within a minute after its upload is aborted', async () => {
    const upload = multipartUpload(disk, 1, 100)
    const { client, outcome } = await upload.startPart(1)
    disk.endedKeys.add(upload.key)
    for (let sentBytes = 10; sentBytes < 30; sentBytes += 1) {
      disk.clock.advance(60_000)
      client.write(upload.bytes.subarray(sentBytes, sentBytes + 1))
      await upload.headPart(1)
    }
    expect(await outcome).toMatchObject({ status: 404, code: 'UPLOAD_NOT_FOUND' })
    expect(await upload.completeParts()).toEqual([])
  })

  it('is rejected if its upload has ended: with 404, or 409 if sealed', async () => {
    const [abortedUpload, sealedUpload] = [
      multipartUpload(disk, 1, 100),
      multipartUpload(disk, 1, 100),
    ]
    await sealedUpload.put(1)
    await sealedUpload.seal()
    for (const { key } of [abortedUpload, sealedUpload]) disk.endedKeys.add(key)
    expect(statusAndErrorCode(await abortedUpload.put(1))).toEqual([404, 'UPLOAD_NOT_FOUND'])
    expect(statusAndErrorCode(await sealedUpload.put(1))).toEqual([409, 'UPLOAD_SEALED'])
    expect(await abortedUpload.remainingFiles()).toEqual([])
  })
})

describe('a whole file in transit', () => {
  it('records activity once at the start of each request', async () => {
    const upload = singleUpload(disk, 5)
    await upload.put('hello')
    await upload.head()
    expect(disk.touchedKeys).toEqual([upload.key, upload.key])
  })

  it('records activity once a minute while bytes arrive', async () => {
    const upload = singleUpload(disk, 6)
    const { outcome, write } = await upload.open({ 'Content-Length': 6 })
    const touchCounts: number[] = []
    let headCount = 0
    for (const [index, seconds] of [0, 30, 29, 1, 59, 1].entries()) {
      disk.clock.advance(seconds * 1000)
      await write(Buffer.from('x'))
      // `waitUntilStored` sends HEAD requests, and each of them records activity too.
      headCount += await upload.waitUntilStored(index + 1)
      touchCounts.push(disk.touchedKeys.length - headCount)
    }
    expect(await outcome).toMatchObject({ status: 200 })
    expect(touchCounts).toEqual([1, 1, 1, 2, 2, 3])
  })

  it('ends within a minute after its upload is aborted', async () => {
    const upload = singleUpload(disk, 6)
    const { client, outcome, write } = await upload.open({ 'Content-Length': 6 })
    await write(Buffer.from('abc'))
    await upload.waitUntilStored(3)
    disk.endedKeys.add(upload.key)
    disk.clock.advance(60_000)
    client.write('d')
    expect(await outcome).toMatchObject({ status: 404, code: 'UPLOAD_NOT_FOUND' })
  })

  it('survives a brief database outage', async () => {
    const upload = singleUpload(disk, 6)
    const { client, outcome, write } = await upload.open({ 'Content-Length': 6 })
    await write(Buffer.from('abc'))
    await upload.waitUntilStored(3)
    disk.shouldFailLookup = true
    disk.clock.advance(60_000)
    client.end('def')
    expect(await outcome).toMatchObject({ status: 200 })
  })

  it('gets 503 and keeps its stored bytes if the database is down at the start', async () => {
    const upload = singleUpload(disk, 5)
    await upload.put('hello')
    disk.shouldFailLookup = true
    const response = await upload.put('other')
    expect(statusAndErrorCode(response)).toEqual([503, 'UNAVAILABLE'])
    expect((await upload.stored()).toString()).toBe('hello')
  })

  it('is rejected if its upload has ended: with 404, or 409 if sealed', async () => {
    const [abortedUpload, sealedUpload] = [singleUpload(disk, 5), singleUpload(disk, 5)]
    await sealedUpload.put('hello')
    await sealedUpload.seal()
    for (const { key } of [abortedUpload, sealedUpload]) disk.endedKeys.add(key)
    expect(statusAndErrorCode(await abortedUpload.put('hello'))).toEqual([404, 'UPLOAD_NOT_FOUND'])
    expect(statusAndErrorCode(await sealedUpload.put('other'))).toEqual([409, 'UPLOAD_SEALED'])
    expect(await disk.storage.storedSize(abortedUpload.key)).toBeNull()
  })
})
