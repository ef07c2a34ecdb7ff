import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type DiskServer,
  expectIdle,
  openDiskServer,
} from '../../../../tests/support/disk-server.ts'
import { cutUpload, wholeUpload } from '../../../../tests/support/disk-uploads.ts'
import { sha256 } from '../../../../tests/support/make.ts'
import { refusalOf } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

describe('a disk that fills up during uploads', () => {
  let disk: DiskServer
  beforeAll(async () => {
    disk = await openDiskServer()
  })
  afterAll(() => disk.close())
  beforeEach(() => {
    disk.space.left = Number.POSITIVE_INFINITY
  })

  it('rejects a whole file at the minimum free space; stored bytes stay and can be resumed', async () => {
    const upload = wholeUpload(disk, 4 * MiB)
    const bytes = randomBytes(4 * MiB)
    disk.space.left = 4 * MiB
    const { ended, write, client } = await upload.open({ 'Content-Length': bytes.length })
    await write(bytes.subarray(0, MiB))
    await upload.untilStored(MiB)
    disk.space.left = MiB
    client.end(bytes.subarray(MiB))
    expect(await ended).toMatchObject({ status: 507, code: 'STORAGE_FULL' })
    const held = await upload.offset()
    expect(held).toBeGreaterThanOrEqual(MiB)
    expect(held).toBeLessThanOrEqual(2 * MiB)
    const rest = { Range: `bytes=${held}-` }
    disk.space.left = 0
    expect(refusalOf(await upload.put(bytes.subarray(held), rest))).toEqual([507, 'STORAGE_FULL'])
    expect(await upload.offset()).toBe(held)
    disk.space.left = 4 * MiB - held
    expect((await upload.put(bytes.subarray(held), rest)).status).toBe(200)
    expect(await upload.seal()).toBe(sha256(bytes))
    await expectIdle(disk)
  })

  it('rejects only the part that does not fit', async () => {
    const upload = cutUpload(disk, 3, MiB)
    await upload.put(1)
    disk.space.left = MiB / 2
    expect(refusalOf(await upload.put(2))).toEqual([507, 'STORAGE_FULL'])
    expect(await upload.held()).toEqual([1])
    disk.space.left = 2 * MiB
    for (const partNumber of [2, 3]) expect((await upload.put(partNumber)).status).toBe(200)
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('tells the client to try again later, without logging an error', async () => {
    const upload = wholeUpload(disk, 5)
    disk.space.left = 4
    const response = await upload.put('hello')
    expect(response.status).toBe(507)
    expect(String(response.body)).toContain('Please try again later.')
    expect(disk.logged.filter(({ level }) => level >= 50)).toEqual([])
  })
})
