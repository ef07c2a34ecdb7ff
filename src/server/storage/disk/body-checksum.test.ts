import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { chunkedEncoding, multipartUpload } from '../../../../tests/support/disk-uploads.ts'
import { checksums } from '../../../../tests/support/make.ts'
import { statusAndErrorCode } from '../../../../tests/support/send.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

describe('the CRC-32 header of a PUT', () => {
  const checksumHeader = (bytes: Buffer) => ({ 'x-amz-checksum-crc32': checksums.crc32(bytes) })

  it('is checked for a part, which is discarded on a mismatch', async () => {
    const upload = multipartUpload(disk, 2, 100)
    const validHeader = checksumHeader(upload.partBytes(1))
    expect((await upload.put(1, validHeader)).status).toBe(200)
    const response = await upload.put(2, validHeader, randomBytes(50))
    expect(statusAndErrorCode(response)).toEqual([409, 'CHECKSUM_MISMATCH'])
    expect(await upload.completeParts()).toEqual([1])
  })

  it('is checked for a whole file, which is discarded on a mismatch', async () => {
    const { single, bytes, sha256 } = multipartUpload(disk, 1, 2 * MiB)
    const response = await single.put(bytes, checksumHeader(randomBytes(5)))
    expect(statusAndErrorCode(response)).toEqual([409, 'CHECKSUM_MISMATCH'])
    expect(await disk.storage.storedSize(single.key)).toBe(0)
    expect((await single.put(bytes, checksumHeader(bytes))).status).toBe(200)
    expect(await single.seal()).toBe(sha256)
  })

  it('covers only the body of a resumed upload; a mismatch keeps the earlier bytes', async () => {
    const { single, bytes, key, sha256 } = multipartUpload(disk, 1, 200)
    await single.put(bytes.subarray(0, 40), chunkedEncoding)
    const remainingBytes = bytes.subarray(40)
    const rangeHeader = { Range: 'bytes=40-' }
    const response = await single.put(remainingBytes, { ...rangeHeader, ...checksumHeader(bytes) })
    expect(statusAndErrorCode(response)).toEqual([409, 'CHECKSUM_MISMATCH'])
    expect(await disk.storage.storedSize(key)).toBe(40)
    expect(
      (await single.put(remainingBytes, { ...rangeHeader, ...checksumHeader(remainingBytes) }))
        .status,
    ).toBe(200)
    expect(await single.seal()).toBe(sha256)
  })

  it.each(['', '?', 'AAAA', 'AAAAAA', 'AAAAAB==', 'AAAAAAA=', 'AAAAAA== ,AAAAAA==', '=AAAAAA='])(
    'is rejected before the body is read if it is malformed: %o',
    async (value) => {
      const upload = multipartUpload(disk, 1, 100)
      await upload.put(1)
      const { client, outcome } = await upload.open(1, { 'x-amz-checksum-crc32': value })
      client.flushHeaders()
      expect(await outcome).toMatchObject({ status: 400, code: 'INVALID_INPUT' })
      expect(await upload.completeParts()).toEqual([1])
    },
  )
})
