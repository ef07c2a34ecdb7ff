import { createCRC32, createMD5, createSHA256 } from 'hash-wasm'
import type { BodyChecksum } from '../../../shared/rules/files/part-plan.ts'

/** The file was changed, moved or removed after it was chosen. */
export class FileUnreadableError extends Error {
  override readonly name = 'FileUnreadableError'

  constructor(cause: unknown) {
    super('The file has changed or can no longer be read', { cause })
  }
}

const sliceSize = 4 * 1024 ** 2

/**
 * True if a file is still readable at this offset. Call after a network error, because a request
 * fails in the same way if the file has been changed or removed.
 */
export function isReadable(file: Blob, offset: number): Promise<boolean> {
  const bytes = file.slice(offset, offset + 1).arrayBuffer()
  return bytes.then(() => true).catch(() => false)
}

/**
 * Reads all bytes.
 * @throws {FileUnreadableError} if the file is unreadable or has become shorter.
 */
async function readBlob(blob: Blob): Promise<ArrayBuffer> {
  const bytes = await blob.arrayBuffer().catch((error: unknown) => {
    throw new FileUnreadableError(error)
  })
  if (bytes.byteLength !== blob.size) throw new FileUnreadableError(new Error('cut short'))
  return bytes
}

export type HashAlgorithm = BodyChecksum | 'sha256'

/** Hashes in lowercase hex. */
export type Hashes = Partial<Record<HashAlgorithm, string>>

const hasherFactories = { crc32: createCRC32, md5: createMD5, sha256: createSHA256 }

/**
 * Computes hashes in one pass, slice by slice. Resolves to null if WebAssembly is disabled, as in
 * iOS Lockdown Mode.
 * @throws {FileUnreadableError} if the file is unreadable.
 */
export async function hashBlob(
  blob: Blob,
  algorithms: readonly HashAlgorithm[],
): Promise<Hashes | null> {
  const hashers = await Promise.all(
    algorithms.map(async (algorithm) => ({
      algorithm,
      hasher: await hasherFactories[algorithm](),
    })),
  ).catch(() => null)
  if (!hashers) return null
  for (const { hasher } of hashers) hasher.init()
  for (let offset = 0; offset < blob.size; offset += sliceSize) {
    const slice = new Uint8Array(await readBlob(blob.slice(offset, offset + sliceSize)))
    for (const { hasher } of hashers) hasher.update(slice)
  }
  return Object.fromEntries(hashers.map(({ algorithm, hasher }) => [algorithm, hasher.digest()]))
}
