import { createHash } from 'node:crypto'
import * as zlib from 'node:zlib'
import type { Checksums } from '../web/uploads/transfer/checksums.ts'
import { FileUnreadableError } from '../web/uploads/transfer/hash-blob.ts'

/** Reads a file in chunks. @throws {FileUnreadableError} if that fails. */
async function forEachChunk(file: Blob, signal: AbortSignal, handle: (chunk: Uint8Array) => void) {
  try {
    for await (const chunk of file.stream()) {
      if (signal.aborted) break
      handle(chunk)
    }
  } catch (error) {
    throw new FileUnreadableError(error)
  }
  signal.throwIfAborted()
}

/** Computes checksums with Node. Those with a CRC-32 are null before Node 20.15. */
export const nodeChecksums: Checksums = {
  async part(part, checksum, signal) {
    if (checksum === 'md5') {
      const md5 = createHash('md5')
      await forEachChunk(part, signal, (chunk) => md5.update(chunk))
      return md5.digest('base64')
    }
    if (!('crc32' in zlib)) return null
    let crc = 0
    await forEachChunk(part, signal, (chunk) => {
      crc = zlib.crc32(chunk, crc)
    })
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(crc)
    return bytes.toString('base64')
  },
  async file(file, signal) {
    if (!('crc32' in zlib)) return null
    const sha256 = createHash('sha256')
    let crc32 = 0
    await forEachChunk(file, signal, (chunk) => {
      sha256.update(chunk)
      crc32 = zlib.crc32(chunk, crc32)
    })
    return { sha256: sha256.digest('hex'), crc32 }
  },
}
