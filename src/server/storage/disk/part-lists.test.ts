import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { multipartUpload } from '../../../../tests/support/disk-uploads.ts'
import { checksums } from '../../../../tests/support/make.ts'
import { maxPartCount } from '../../../shared/rules/files/part-plan.ts'
import { isComplete, type PartEntry, totalBytes } from './part-lists.ts'

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

async function partListSize(key: string) {
  return (await stat(join(disk.dataDir, 'uploads', `${key}.parts`))).size
}

describe('the part list of an upload', () => {
  it('does not grow when a part is sent again and again', async () => {
    const upload = multipartUpload(disk, 3, 2)
    await upload.putAll()
    const sizeBefore = await partListSize(upload.key)
    for (let round = 0; round < 100; round += 1) expect((await upload.put(2)).status).toBe(200)
    expect(await partListSize(upload.key)).toBe(sizeBefore)
    expect(await upload.completeParts()).toEqual([1, 2, 3])
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('uses at most 32 bytes per possible part', async () => {
    const upload = multipartUpload(disk, maxPartCount, 1)
    expect((await upload.put(maxPartCount)).status).toBe(200)
    expect(await upload.completeParts()).toEqual([maxPartCount])
    expect(await partListSize(upload.key)).toBe(32 * maxPartCount)
  })

  it('contains the parts in order, with sizes and checksums', async () => {
    const upload = multipartUpload(disk, 3, 10)
    for (const partNumber of [3, 1]) await upload.put(partNumber)
    expect(await disk.storage.listParts(upload.key)).toEqual([
      { partNumber: 1, size: 10, checksum: checksums.crc32(upload.partBytes(1)) },
      { partNumber: 3, size: 5, checksum: checksums.crc32(upload.partBytes(3)) },
    ])
  })

  it('is created only once when many first parts arrive concurrently', async () => {
    const upload = multipartUpload(disk, 20, 10)
    await upload.putAll()
    expect(await upload.completeParts()).toEqual(upload.partNumbers)
    expect(await upload.seal()).toBe(upload.sha256)
  })
})

describe('stored parts', () => {
  const part = (partNumber: number, offset: number, size: number): PartEntry => {
    return { partNumber, offset, size, crc32: 0 }
  }

  it.each([
    ['all parts', [part(1, 0, 5), part(2, 5, 4)], 9, true],
    ['too few bytes', [part(1, 0, 5)], 9, false],
    ['too many bytes', [part(1, 0, 5), part(2, 5, 4)], 8, false],
    ['a gap', [part(1, 0, 5), part(3, 9, 4)], 9, false],
    ['an overlap', [part(1, 0, 5), part(2, 4, 4)], 9, false],
    ['an empty file', [], 0, true],
  ])('are checked for completeness: %s', (_, entries, size, expected) => {
    expect(isComplete(entries, size)).toBe(expected)
  })

  it('add up to their total size', () => {
    expect(totalBytes([part(1, 0, 5), part(3, 9, 4)])).toBe(9)
  })
})
