import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import {
  chunkedEncoding,
  multipartUpload,
  type SingleUpload,
  singleUpload,
} from '../../../../tests/support/disk-uploads.ts'
import { checksums } from '../../../../tests/support/make.ts'

const bytes = randomBytes(100_000)

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

function sealedCrc32({ grant }: Pick<SingleUpload, 'grant'>, server = disk) {
  return server.storage.seal(grant.key, grant.size)
}

/** Sends the first `count` bytes, then the rest with a Range header. */
async function sendInterrupted(upload: SingleUpload, count: number, headers = {}) {
  await upload.put(bytes.subarray(0, count), chunkedEncoding)
  const rest = bytes.subarray(count)
  return upload.put(rest, { Range: `bytes=${count}-`, ...headers })
}

describe('sealing returns the CRC-32', () => {
  it.each<[string, Buffer]>([
    ['a whole file', bytes],
    ['an empty file', Buffer.alloc(0)],
  ])('of %s', async (_, content) => {
    const upload = singleUpload(disk, content.length)
    await upload.put(content)
    expect(await sealedCrc32(upload)).toBe(crc32(content))
  })

  it('of a file that was resumed twice', async () => {
    const upload = singleUpload(disk, bytes.length)
    await upload.put(bytes.subarray(0, 10), chunkedEncoding)
    await upload.put(bytes.subarray(10, 5000), { Range: 'bytes=10-', ...chunkedEncoding })
    await upload.put(bytes.subarray(5000), { Range: 'bytes=5000-' })
    expect(await sealedCrc32(upload)).toBe(crc32(bytes))
  })

  it('of the last of several whole files', async () => {
    const upload = singleUpload(disk, bytes.length)
    await upload.put(randomBytes(bytes.length))
    await upload.put(bytes)
    expect(await sealedCrc32(upload)).toBe(crc32(bytes))
  })

  it('of a file in parts, sent in any order, some of them twice', async () => {
    const upload = multipartUpload(disk, 5, 1000)
    await upload.put(3, {}, randomBytes(1000))
    for (const partNumber of [5, 3, 1, 2, 4]) await upload.put(partNumber)
    expect(await sealedCrc32(upload)).toBe(crc32(upload.bytes))
  })

  it('of parts that replaced a whole file, and the reverse', async () => {
    const upload = multipartUpload(disk, 2, 1000)
    await upload.single.put(randomBytes(upload.bytes.length))
    await upload.putAll()
    expect(await sealedCrc32(upload)).toBe(crc32(upload.bytes))
    const otherUpload = multipartUpload(disk, 2, 1000)
    await otherUpload.put(1, {}, randomBytes(1000))
    await otherUpload.single.put(otherUpload.bytes)
    expect(await sealedCrc32(otherUpload)).toBe(crc32(otherUpload.bytes))
  })

  it('again, to concurrent and later calls, until the stored bytes are read', async () => {
    const upload = multipartUpload(disk, 2, 1000)
    await upload.putAll()
    const seals = await Promise.all([sealedCrc32(upload), sealedCrc32(upload)])
    expect([...seals, await sealedCrc32(upload)]).toEqual(Array(3).fill(crc32(upload.bytes)))
    expect(await disk.storage.digest(upload.key)).toMatchObject({ crc32: crc32(upload.bytes) })
    expect(await sealedCrc32(upload)).toBeNull()
  })

  it('of parts that arrived before a restart', async () => {
    const server = await openDiskServer()
    const upload = multipartUpload(server, 2, 1000)
    await upload.putAll()
    await server.stop()
    const restartedServer = await openDiskServer(server.dataDir)
    expect(await sealedCrc32(upload, restartedServer)).toBe(crc32(upload.bytes))
    await restartedServer.close()
  })
})

describe('sealing returns null', () => {
  it('if a whole file arrived before a restart', async () => {
    const server = await openDiskServer()
    const upload = singleUpload(server, bytes.length)
    await upload.put(bytes)
    await server.stop()
    const restartedServer = await openDiskServer(server.dataDir)
    expect(await sealedCrc32(upload, restartedServer)).toBeNull()
    expect(await restartedServer.storage.digest(upload.key)).toMatchObject({ crc32: crc32(bytes) })
    await restartedServer.close()
  })

  it('if a body with a wrong checksum was discarded, and the file then resumed', async () => {
    const upload = singleUpload(disk, bytes.length)
    const header = { 'x-amz-checksum-crc32': checksums.crc32(Buffer.from('other')) }
    expect((await sendInterrupted(upload, 100, header)).status).toBe(409)
    expect((await upload.put(bytes.subarray(100), { Range: 'bytes=100-' })).status).toBe(200)
    expect(await sealedCrc32(upload)).toBeNull()
  })
})
