import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunked, cutUpload } from '../../../../tests/support/disk-uploads.ts'
import { checksums } from '../../../../tests/support/make.ts'
import { refusalOf } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('the CRC-32 header of a PUT', () => {
  const checksum = (bytes: Buffer) => ({ 'x-amz-checksum-crc32': checksums.crc32(bytes) })

  it('is checked for a part, which is discarded on a mismatch', async () => {
    const upload = cutUpload(disk, 2, 100)
    const good = checksum(upload.bytesOf(1))
    expect((await upload.put(1, good)).status).toBe(200)
    const wrong = await upload.put(2, good, randomBytes(50))
    expect(refusalOf(wrong)).toEqual([409, 'CHECKSUM_MISMATCH'])
    expect(await upload.held()).toEqual([1])
  })

  it('is checked for a whole file, which is discarded on a mismatch', async () => {
    const { whole, bytes, sha256 } = cutUpload(disk, 1, 2 * MiB)
    const damaged = await whole.put(bytes, checksum(randomBytes(5)))
    expect(refusalOf(damaged)).toEqual([409, 'CHECKSUM_MISMATCH'])
    expect(await disk.storage.storedSize(whole.key)).toBe(0)
    expect((await whole.put(bytes, checksum(bytes))).status).toBe(200)
    expect(await whole.seal()).toBe(sha256)
  })

  it('covers only the body of a resumed upload; a mismatch keeps the earlier bytes', async () => {
    const { whole, bytes, key, sha256 } = cutUpload(disk, 1, 200)
    await whole.put(bytes.subarray(0, 40), chunked)
    const rest = bytes.subarray(40)
    const range = { Range: 'bytes=40-' }
    const wrong = await whole.put(rest, { ...range, ...checksum(bytes) })
    expect(refusalOf(wrong)).toEqual([409, 'CHECKSUM_MISMATCH'])
    expect(await disk.storage.storedSize(key)).toBe(40)
    expect((await whole.put(rest, { ...range, ...checksum(rest) })).status).toBe(200)
    expect(await whole.seal()).toBe(sha256)
  })

  it.each(['', '?', 'AAAA', 'AAAAAA', 'AAAAAB==', 'AAAAAAA=', 'AAAAAA== ,AAAAAA==', '=AAAAAA='])(
    'is rejected before the body is read if it is malformed: %o',
    async (value) => {
      const upload = cutUpload(disk, 1, 100)
      await upload.put(1)
      const { client, ended } = await upload.open(1, { 'x-amz-checksum-crc32': value })
      client.flushHeaders()
      expect(await ended).toMatchObject({ status: 400, code: 'INVALID_INPUT' })
      expect(await upload.held()).toEqual([1])
    },
  )
})
