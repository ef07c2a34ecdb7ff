import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FileUnreadableError, hashBlob, isReadable } from './hash-blob.ts'

const content = randomBytes(9_000_001)
const file = new Blob([content])
/** Creates a file that is unreadable, as if it had changed since it was chosen. */
function makeChangedFile(): Blob {
  const blob = new Blob([new Uint8Array(10)])
  blob.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
  blob.slice = () => blob
  return blob
}

describe('the hashes of a file', () => {
  test('are those of all its slices', async () => {
    expect(await hashBlob(file, ['crc32', 'md5', 'sha256'])).toEqual({
      crc32: crc32(content).toString(16).padStart(8, '0'),
      md5: createHash('md5').update(content).digest('hex'),
      sha256: createHash('sha256').update(content).digest('hex'),
    })
  })

  test('are defined for an empty file', async () => {
    expect(await hashBlob(new Blob([]), ['crc32', 'md5'])).toEqual({
      crc32: '00000000',
      md5: 'd41d8cd98f00b204e9800998ecf8427e',
    })
  })

  test('are independent of others computed at the same time', async () => {
    const texts = ['123456789', 'a', '']
    const hashes = texts.map((text) => hashBlob(new Blob([text]), ['crc32']))
    expect((await Promise.all(hashes)).map((hash) => hash?.crc32)).toEqual([
      'cbf43926',
      'e8b7be43',
      '00000000',
    ])
  })
})

describe('a changed or removed file', () => {
  test('is reported as unreadable', async () => {
    await expect(hashBlob(makeChangedFile(), ['crc32'])).rejects.toBeInstanceOf(FileUnreadableError)
  })

  test('is reported as unreadable if it returns fewer bytes than its size', async () => {
    const truncatedBlob = new Blob(['ab'])
    truncatedBlob.slice = () => truncatedBlob
    truncatedBlob.arrayBuffer = async () => new ArrayBuffer(1)
    await expect(hashBlob(truncatedBlob, ['crc32'])).rejects.toBeInstanceOf(FileUnreadableError)
  })

  test('is distinguished from a readable one', async () => {
    expect(await isReadable(makeChangedFile(), 3)).toBe(false)
    expect(await isReadable(file, 3)).toBe(true)
    expect(await isReadable(new Blob([]), 0)).toBe(true)
  })
})
