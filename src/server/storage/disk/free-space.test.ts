import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type DiskServer,
  expectIdle,
  openDiskServer,
} from '../../../../tests/support/disk-server.ts'
import { multipartUpload, singleUpload } from '../../../../tests/support/disk-uploads.ts'
import { sha256 } from '../../../../tests/support/make.ts'
import { statusAndErrorCode } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

describe('a disk that fills up during uploads', () => {
  let disk: DiskServer
  beforeAll(async () => {
    disk = await openDiskServer()
  })
  afterAll(() => disk.close())
  beforeEach(() => {
    disk.space.freeBytes = Number.POSITIVE_INFINITY
  })

  it('rejects a whole file at the minimum free space, but keeps the stored bytes for a resume', async () => {
    const upload = singleUpload(disk, 4 * MiB)
    const bytes = randomBytes(4 * MiB)
    disk.space.freeBytes = 4 * MiB
    const { outcome, write, client } = await upload.open({ 'Content-Length': bytes.length })
    await write(bytes.subarray(0, MiB))
    await upload.waitUntilStored(MiB)
    disk.space.freeBytes = MiB
    client.end(bytes.subarray(MiB))
    expect(await outcome).toMatchObject({ status: 507, code: 'STORAGE_FULL' })
    const storedBytes = await upload.offset()
    expect(storedBytes).toBeGreaterThanOrEqual(MiB)
    expect(storedBytes).toBeLessThanOrEqual(2 * MiB)
    const rangeHeader = { Range: `bytes=${storedBytes}-` }
    disk.space.freeBytes = 0
    expect(statusAndErrorCode(await upload.put(bytes.subarray(storedBytes), rangeHeader))).toEqual([
      507,
      'STORAGE_FULL',
    ])
    expect(await upload.offset()).toBe(storedBytes)
    disk.space.freeBytes = 4 * MiB - storedBytes
    expect((await upload.put(bytes.subarray(storedBytes), rangeHeader)).status).toBe(200)
    expect(await upload.seal()).toBe(sha256(bytes))
    await expectIdle(disk)
  })

  it('rejects only the part that does not fit', async () => {
    const upload = multipartUpload(disk, 3, MiB)
    await upload.put(1)
    disk.space.freeBytes = MiB / 2
    expect(statusAndErrorCode(await upload.put(2))).toEqual([507, 'STORAGE_FULL'])
    expect(await upload.completeParts()).toEqual([1])
    disk.space.freeBytes = 2 * MiB
    for (const partNumber of [2, 3]) expect((await upload.put(partNumber)).status).toBe(200)
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('tells the client to try again later, without logging an error', async () => {
    const upload = singleUpload(disk, 5)
    disk.space.freeBytes = 4
    const response = await upload.put('hello')
    expect(response.status).toBe(507)
    expect(String(response.body)).toContain('Please try again later.')
    expect(disk.logLines.filter(({ level }) => level >= 50)).toEqual([])
  })
})
