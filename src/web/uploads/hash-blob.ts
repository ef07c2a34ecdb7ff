import { createCRC32, createMD5, createSHA256, type IHasher } from 'hash-wasm'

/** What storage compares the body of a PUT with (contract: `checksum`). */
export type PartChecksum = 'crc32' | 'md5'

/** The bytes of a part, and their checksum in base64; null where this browser cannot reckon it. */
export interface HashedPart {
  bytes: ArrayBuffer
  checksum: string | null
}

/** The file was changed, moved or removed since it was chosen. */
export class FileUnreadable extends Error {
  override readonly name = 'FileUnreadable'

  constructor(cause: unknown) {
    super('The file has changed or can no longer be read', { cause })
  }
}

const sliceSize = 4 * 1024 ** 2
const sampleSize = 64 * 1024

/** @throws {FileUnreadable} */
export const readBlob = async (blob: Blob): Promise<ArrayBuffer> => {
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
const hasher = (create: () => Promise<IHasher>): Promise<IHasher | null> =>
  create().catch(() => null)

const hashers = { crc32: () => createCRC32(), md5: () => createMD5() }

/**
 * Reads a part and reckons its checksum, of the very bytes that it gives back.
 * @throws {FileUnreadable}
 */
export const hashPart = async (part: Blob, checksum: PartChecksum): Promise<HashedPart> => {
  const [bytes, hash] = await Promise.all([readBlob(part), hasher(hashers[checksum])])
  if (!hash) return { bytes, checksum: null }
  const digest = hash.init().update(new Uint8Array(bytes)).digest('binary')
  return { bytes, checksum: btoa(String.fromCharCode(...digest)) }
}

/**
 * The SHA-256 of a whole file in hexadecimal, read slice by slice; null where this browser cannot
 * reckon it.
 * @throws {FileUnreadable}
 * @throws the reason of the signal when that fires.
 */
export const hashWhole = async (file: Blob, signal: AbortSignal): Promise<string | null> => {
  const hash = await hasher(createSHA256)
  if (!hash) return null
  hash.init()
  for (let offset = 0; offset < file.size; offset += sliceSize) {
    signal.throwIfAborted()
    hash.update(new Uint8Array(await readBlob(file.slice(offset, offset + sliceSize))))
  }
  return hash.digest('hex')
}

/**
 * What a file is recognised by when it is chosen again: the SHA-256, in hexadecimal, of its size and
 * of its first, middle and last 64 KiB. Null where this browser cannot reckon it.
 * @throws {FileUnreadable}
 */
export const hashSample = async (file: Blob): Promise<string | null> => {
  const hash = await hasher(createSHA256)
  if (!hash) return null
  hash.init().update(`${file.size}\n`)
  const middle = Math.max(0, Math.floor((file.size - sampleSize) / 2))
  for (const offset of [0, middle, Math.max(0, file.size - sampleSize)]) {
    hash.update(new Uint8Array(await readBlob(file.slice(offset, offset + sampleSize))))
  }
  return hash.digest('hex')
}
