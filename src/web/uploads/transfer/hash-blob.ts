import { createCRC32, createMD5, createSHA256, type IHasher } from 'hash-wasm'
import type { BodyChecksum } from '../../../shared/rules/body-checksum.ts'

/** The file was changed, moved or removed since it was chosen. */
export class FileUnreadable extends Error {
  override readonly name = 'FileUnreadable'

  constructor(cause: unknown) {
    super('The file has changed or can no longer be read', { cause })
  }
}

const sliceSize = 4 * 1024 ** 2
const sampleSize = 64 * 1024

/**
 * Whether a file can still be read at this offset. A file that was changed or removed on disk ends a
 * request just as a lost connection does.
 */
export async function isReadable(file: Blob, offset: number): Promise<boolean> {
  try {
    await file.slice(offset, offset + 1).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** @throws {FileUnreadable} */
async function readBlob(blob: Blob): Promise<ArrayBuffer> {
  let bytes: ArrayBuffer
  try {
    bytes = await blob.arrayBuffer()
  } catch (error) {
    throw new FileUnreadable(error)
  }
  if (bytes.byteLength !== blob.size) throw new FileUnreadable(new Error('cut short'))
  return bytes
}

/** Null where WebAssembly is switched off, as the lockdown mode of iOS does. */
function hasher(create: () => Promise<IHasher>): Promise<IHasher | null> {
  return create().catch(() => null)
}

const hashers = { crc32: () => createCRC32(), md5: () => createMD5() }

async function readInto(hash: IHasher, blob: Blob, signal: AbortSignal): Promise<void> {
  for (let offset = 0; offset < blob.size; offset += sliceSize) {
    signal.throwIfAborted()
    hash.update(new Uint8Array(await readBlob(blob.slice(offset, offset + sliceSize))))
  }
}

/**
 * The checksum of a part in base64; null where this browser cannot compute it.
 * @throws {FileUnreadable}
 * @throws the reason of the signal when that fires.
 */
export async function hashPart(
  part: Blob,
  checksum: BodyChecksum,
  signal: AbortSignal,
): Promise<string | null> {
  const hash = await hasher(hashers[checksum])
  if (!hash) return null
  hash.init()
  await readInto(hash, part, signal)
  return btoa(String.fromCharCode(...hash.digest('binary')))
}

/**
 * The SHA-256 of a whole file in hexadecimal, read slice by slice; null where this browser cannot
 * compute it.
 * @throws {FileUnreadable}
 * @throws the reason of the signal when that fires.
 */
export async function hashWhole(file: Blob, signal: AbortSignal): Promise<string | null> {
  const hash = await hasher(createSHA256)
  if (!hash) return null
  hash.init()
  await readInto(hash, file, signal)
  return hash.digest('hex')
}

/**
 * By this a file is recognised when it is chosen again: the SHA-256, in hexadecimal, of its size and of
 * its first, middle and last 64 KiB. Null where this browser cannot compute it.
 * @throws {FileUnreadable}
 */
export async function hashSample(file: Blob): Promise<string | null> {
  const hash = await hasher(createSHA256)
  if (!hash) return null
  hash.init().update(`${file.size}\n`)
  const middle = Math.max(0, Math.floor((file.size - sampleSize) / 2))
  for (const offset of [0, middle, Math.max(0, file.size - sampleSize)]) {
    hash.update(new Uint8Array(await readBlob(file.slice(offset, offset + sampleSize))))
  }
  return hash.digest('hex')
}
