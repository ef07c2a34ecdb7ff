import { createCRC32, createMD5, createSHA256, type IHasher } from 'hash-wasm'
import type { BodyChecksum } from '../../../shared/rules/files/part-plan.ts'

/** The file was changed, moved or removed after it was chosen. */
export class FileUnreadable extends Error {
  override readonly name = 'FileUnreadable'

  constructor(cause: unknown) {
    super('The file has changed or can no longer be read', { cause })
  }
}

const sliceSize = 4 * 1024 ** 2

/**
 * True if a file is still readable at this offset. Call after a network error, because a changed or
 * removed file makes a request fail the same way.
 */
export async function isReadable(file: Blob, offset: number): Promise<boolean> {
  try {
    await file.slice(offset, offset + 1).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/**
 * Reads all bytes.
 * @throws {FileUnreadable} if the file is unreadable or shorter than before.
 */
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

/** Creates a hasher. Returns null if WebAssembly is disabled, as in the Lockdown Mode of iOS. */
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
 * Computes the checksum of a part in base64; null if the browser can't.
 * @throws {FileUnreadable} if the file is unreadable.
 * @throws the reason of the signal when it is aborted.
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
 * Computes the SHA-256 of a whole file in hex, slice by slice; null if the browser can't.
 * @throws {FileUnreadable} if the file is unreadable.
 * @throws the reason of the signal when it is aborted.
 */
export async function hashWhole(file: Blob, signal: AbortSignal): Promise<string | null> {
  const hash = await hasher(createSHA256)
  if (!hash) return null
  hash.init()
  await readInto(hash, file, signal)
  return hash.digest('hex')
}
