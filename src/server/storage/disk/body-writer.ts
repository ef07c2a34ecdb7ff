import type { IncomingMessage, ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import { AppError } from '../../errors.ts'

/**
 * The size at which a block is full. At most two blocks are in memory: one that is being written
 * and one that is arriving.
 */
const maxBlockBytes = 256 * 1024

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
export async function writeBody(source: BodySource, target: BodyTarget): Promise<WriteResult> {
  const result: WriteResult = { endOffset: target.start, crc32: 0 }
  for await (const block of receiveBlocks(source)) await writeBlock(block, target, result)
  source.signal.throwIfAborted()
  return result
}

/**
 * Yields the chunks of a body that have arrived since the last block. While the caller writes a
 * block, the next one arrives.
 */
async function* receiveBlocks({ request, response, signal }: BodySource) {
  let block: Buffer[] = []
  let bytes = 0
  let isOver = signal.aborted || request.destroyed
  let wake = () => {}
  const add = (chunk: Buffer) => {
    block.push(chunk)
    bytes += chunk.length
    if (bytes >= maxBlockBytes) request.pause()
    wake()
  }
  const end = () => {
    isOver = true
    request.pause()
    wake()
  }
  signal.addEventListener('abort', end)
  request.once('end', end).once('close', end)
  try {
    if (request.headers.expect !== undefined) response.writeContinue()
    request.on('data', add)
    for (;;) {
      if (block.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (block.length === 0) return
      const received = block
      block = []
      bytes = 0
      if (!isOver) request.resume()
      yield received
    }
  } finally {
    signal.removeEventListener('abort', end)
    request.off('data', add).off('end', end).off('close', end).pause()
  }
}

async function writeBlock(
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
