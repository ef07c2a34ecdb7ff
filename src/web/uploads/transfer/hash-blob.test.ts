import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FileUnreadableError, hashBlob, isReadable } from './hash-blob.ts'

const neverAborted = new AbortController().signal
const content = randomBytes(9_000_001)
const file = new Blob([content])
function sha256(...bytes: (Uint8Array | string)[]) {
  const hash = createHash('sha256')
  for (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex')
}
function crc32Base64(bytes: Uint8Array) {
  const value = Buffer.alloc(4)
  value.writeUInt32BE(crc32(bytes))
  return value.toString('base64')
}

/** Creates a file that is unreadable, as if it had changed since it was chosen. */
function makeChangedFile(): Blob {
  const blob = new Blob([new Uint8Array(10)])
  blob.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
  blob.slice = () => blob
  return blob
}

describe('the checksum of a part', () => {
  test.each([
    { checksum: 'crc32' as const, expected: crc32Base64(content) },
    { checksum: 'md5' as const, expected: createHash('md5').update(content).digest('base64') },
  ])('is the base64 of its $checksum', async ({ checksum, expected }) => {
    expect(await hashBlob(file, checksum, neverAborted)).toBe(expected)
  })

  test('is a big-endian CRC-32 that matches the check value of the standard', async () => {
    const checksum = await hashBlob(new Blob(['123456789']), 'crc32', neverAborted)
    expect(Buffer.from(checksum ?? '', 'base64').toString('hex')).toBe('cbf43926')
  })

  test('is independent of others computed at the same time', async () => {
    const slices = [0, 1, 2, 3, 4].map((n) => content.subarray(n * 1000, n * 1000 + 777))
    const checksumPromises = slices.map((bytes) =>
      hashBlob(new Blob([bytes]), 'crc32', neverAborted),
    )
    expect(await Promise.all(checksumPromises)).toEqual(slices.map(crc32Base64))
  })
})

describe('the SHA-256 of a whole file', () => {
  test('covers many slices', async () => {
    expect(await hashBlob(file, 'sha256', neverAborted)).toBe(sha256(content))
  })

  test('is defined for an empty file', async () => {
    expect(await hashBlob(new Blob([]), 'sha256', neverAborted)).toBe(sha256(''))
  })

  test('is cancelled by its signal', async () => {
    const reason = new Error('Cancelled by user')
    await expect(hashBlob(file, 'sha256', AbortSignal.abort(reason))).rejects.toBe(reason)
  })
})

describe('a changed or removed file', () => {
  test('is reported as unreadable by all hashes', async () => {
    for (const hash of [
      hashBlob(makeChangedFile(), 'crc32', neverAborted),
      hashBlob(makeChangedFile(), 'sha256', neverAborted),
    ]) {
      await expect(hash).rejects.toBeInstanceOf(FileUnreadableError)
    }
  })

  test('is reported as unreadable if it returns fewer bytes than its size', async () => {
    const truncatedBlob = new Blob(['ab'])
    truncatedBlob.slice = () => truncatedBlob
    truncatedBlob.arrayBuffer = async () => new ArrayBuffer(1)
    await expect(hashBlob(truncatedBlob, 'crc32', neverAborted)).rejects.toBeInstanceOf(
      FileUnreadableError,
    )
  })

  test('is distinguished from a readable one', async () => {
    expect(await isReadable(makeChangedFile(), 3)).toBe(false)
    expect(await isReadable(file, 3)).toBe(true)
    expect(await isReadable(new Blob([]), 0)).toBe(true)
  })
})
