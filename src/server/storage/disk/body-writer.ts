import type { IncomingMessage, ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { AppError } from '../../errors.ts'

/** How many bytes of a body wait in memory while the disk writes those before them. */
const bufferedBytes = 256 * 1024

/** A request whose body is to be written into a file. */
export interface Incoming {
  request: IncomingMessage
  response: ServerResponse
  /** Aborts to end the body early. Its reason is the error that the client gets. */
  stop: AbortSignal
}

export interface BodyTarget {
  /** It may write less than it is given. The caller closes it. */
  file: { writev(chunks: Buffer[], position: number): Promise<{ bytesWritten: number }> }
  /** The offsets in the file where the body begins, and beyond which nothing is written. */
  start: number
  limit: number
  /** Called before bytes are written. If it rejects, the body ends with its error. */
  admit(bytes: number): Promise<void>
}

/** What was written of a body. */
export interface Written {
  /** The offset in the file after the last byte. */
  end: number
  crc32: number
}

/**
 * Writes a body into a file, in order and without a gap. Resolves when all bytes that arrived are
 * written, even if the client left early.
 * @throws {AppError} the reason of `stop`; FILE_TOO_LARGE when the body would pass the limit; the
 * errors of `admit` and of the disk.
 */
export async function writeBody(
  { request, response, stop }: Incoming,
  target: BodyTarget,
): Promise<Written> {
  const written: Written = { end: target.start, crc32: 0 }
  const writer = new Writable({
    highWaterMark: bufferedBytes,
    writev: (chunks, done) => {
      const bodies = chunks.map(({ chunk }) => chunk as Buffer)
      writeChunks(bodies, target, written).then(() => done(), done)
    },
  })
  const endEarly = () => {
    request.unpipe(writer)
    writer.end()
  }
  stop.addEventListener('abort', endEarly)
  request.once('close', endEarly)
  try {
    if (request.headers.expect !== undefined) response.writeContinue()
    request.pipe(writer)
    if (stop.aborted || request.destroyed) endEarly()
    await finished(writer)
  } finally {
    request.off('close', endEarly)
    stop.removeEventListener('abort', endEarly)
  }
  stop.throwIfAborted()
  return written
}

async function writeChunks(
  chunks: Buffer[],
  { file, limit, admit }: BodyTarget,
  written: Written,
): Promise<void> {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  if (written.end + bytes > limit) throw new AppError('FILE_TOO_LARGE')
  await admit(bytes)
  for (let left = chunks; left.length > 0; ) {
    const { bytesWritten } = await file.writev(left, written.end)
    written.end += bytesWritten
    left = skip(left, bytesWritten)
  }
  for (const chunk of chunks) {
    written.crc32 = crc32(chunk, written.crc32)
    freeMemory(chunk)
  }
}

/** Returns the chunks without their first `bytes` bytes. */
function skip(chunks: Buffer[], bytes: number): Buffer[] {
  let toSkip = bytes
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(toSkip, chunk.length))
    toSkip -= chunk.length - rest.length
    return rest.length > 0 ? [rest] : []
  })
}

/**
 * Frees a chunk's memory at once. Node hands over each body in fresh buffers. If they were left to
 * the garbage collector, they would take 50 to 100 MiB, and collecting them a third of an upload's
 * CPU time.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  // Memory that other buffers share is not freed.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
