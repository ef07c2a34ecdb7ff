import type { IncomingMessage, ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { AppError } from '../../errors.ts'

/** How many bytes of a body may be buffered while earlier ones are written to disk. */
const bufferedBytes = 256 * 1024

export interface BodySource {
  request: IncomingMessage
  response: ServerResponse
  /** Aborts to end the body early. The abort reason is the error to send to the client. */
  signal: AbortSignal
}

export interface BodyTarget {
  /** The file to write to, which the caller closes. `writev` may write fewer bytes than given. */
  file: { writev(chunks: Buffer[], position: number): Promise<{ bytesWritten: number }> }
  /** The file offset of the body's first byte, and the offset at which writing must stop. */
  start: number
  limit: number
  /** Called before each write. A rejection ends the body with that error. */
  admit(bytes: number): Promise<void>
}

export interface WriteResult {
  /** The file offset after the last byte written. */
  endOffset: number
  crc32: number
}

/**
 * Writes a body to a file sequentially. Resolves once all received bytes are written, even if the
 * client disconnects early.
 * @throws {AppError} the reason of `signal`; FILE_TOO_LARGE if the body would exceed the limit; any
 * error from `admit` or the disk.
 */
export async function writeBody(
  { request, response, signal }: BodySource,
  target: BodyTarget,
): Promise<WriteResult> {
  const result: WriteResult = { endOffset: target.start, crc32: 0 }
  const writer = new Writable({
    highWaterMark: bufferedBytes,
    writev: (chunks, callback) => {
      const buffers = chunks.map(({ chunk }) => chunk as Buffer)
      writeChunks(buffers, target, result).then(() => callback(), callback)
    },
  })
  const endEarly = () => {
    request.unpipe(writer)
    writer.end()
  }
  signal.addEventListener('abort', endEarly)
  request.once('close', endEarly)
  try {
    if (request.headers.expect !== undefined) response.writeContinue()
    request.pipe(writer)
    if (signal.aborted || request.destroyed) endEarly()
    await finished(writer)
  } finally {
    request.off('close', endEarly)
    signal.removeEventListener('abort', endEarly)
  }
  signal.throwIfAborted()
  return result
}

async function writeChunks(
  chunks: Buffer[],
  { file, limit, admit }: BodyTarget,
  result: WriteResult,
): Promise<void> {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  if (result.endOffset + bytes > limit) throw new AppError('FILE_TOO_LARGE')
  await admit(bytes)
  for (let remaining = chunks; remaining.length > 0; ) {
    const { bytesWritten } = await file.writev(remaining, result.endOffset)
    result.endOffset += bytesWritten
    remaining = dropBytes(remaining, bytesWritten)
  }
  for (const chunk of chunks) {
    result.crc32 = crc32(chunk, result.crc32)
    freeMemory(chunk)
  }
}

function dropBytes(chunks: Buffer[], bytes: number): Buffer[] {
  let bytesToDrop = bytes
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(bytesToDrop, chunk.length))
    bytesToDrop -= chunk.length - rest.length
    return rest.length > 0 ? [rest] : []
  })
}

/**
 * Frees a chunk's memory at once. Node allocates new buffers for each body. Leaving them to the
 * garbage collector would take 50 to 100 MiB of memory and a third of an upload's CPU time.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  // Don't free memory that is shared with other buffers.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
