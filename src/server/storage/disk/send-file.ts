import { closeSync, fstatSync, open, read } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { AppError } from '../../errors.ts'
import type { ByteRange } from '../byte-range.ts'
import { writeDownloadHead } from '../download-headers.ts'
import type { DownloadGrant, OnBytes, RangeTarget } from '../storage.ts'
import { type WriteOutcome, writeNow } from '../write-now.ts'
import { nullIfMissing } from './file-system.ts'

const openFile = promisify(open)
const readFile = promisify(read)

/** Larger chunks wouldn't make reading faster. */
const chunkBytes = 1024 * 1024
/**
 * Slow clients may occupy all chunks but four, which leaves one for each of Node's file I/O
 * threads.
 */
const maxChunks = 20
const maxOccupied = maxChunks - 4
/**
 * The size of the pieces that a download copies for a slow client when no more chunks may be
 * occupied.
 */
const pieceBytes = 64 * 1024

interface Download {
  request: IncomingMessage
  response: ServerResponse
  onBytes: OnBytes | undefined
  /** Called with the number of bytes just written, which the kernel may still have to accept. */
  onSent(count: number): void
}

/**
 * A part of a file that begins at `offset`. `users` counts the downloads that are reading or
 * sending it.
 */
interface Chunk {
  buffer: Buffer
  key: string
  offset: number
  users: number
}

/**
 * Sends files in chunks of 1 MiB from a pool of 20 MiB. Downloads of the same file share chunks. A
 * download with a slow client occupies a chunk until the client has received it. If too many chunks
 * are occupied, a download copies the next 64 KiB of its chunk, releases the chunk, and later reads
 * the rest from the file again.
 */
export class FileSender {
  /** The least recently used chunk is first. */
  readonly #chunks: Chunk[] = []
  readonly #waiting: (() => void)[] = []
  #occupied = 0

  /**
   * Answers a GET or HEAD with a file or a single range, honoring conditional headers (200, 206 or
   * 304). Resolves when the response has been sent or the client has disconnected.
   * @throws {AppError} LINK_NOT_FOUND if there is no such file; 412 or 416, as required by the
   * conditional headers or the range; any error from `onBytes`.
   * @throws {Error} if the file's size differs from the grant, or it can't be read.
   */
  async send(path: string, grant: DownloadGrant, download: Download): Promise<void> {
    const file = await nullIfMissing(openFile(path, 'r'))
    if (file === null) throw new AppError('LINK_NOT_FOUND')
    // On an open file, `fstatSync` and `closeSync` never wait for the disk, and handing them to a
    // thread would cost more than the calls themselves.
    try {
      assertSize(grant, fstatSync(file).size)
      if (download.response.destroyed) return
      const range = await writeDownloadHead(grant, download)
      if (range) await this.#sendBytes(file, grant, range, download)
      download.response.end()
    } finally {
      closeSync(file)
    }
  }

  /** Sends a range of a file, as `Storage.sendRange` does. */
  async sendRange(path: string, key: string, range: ByteRange, target: RangeTarget): Promise<void> {
    const file = await nullIfMissing(openFile(path, 'r'))
    if (file === null) throw new AppError('LINK_NOT_FOUND')
    try {
      const { size } = fstatSync(file)
      if (size <= range.end) throw new Error(`${key} ends at ${size}, not after ${range.end}`)
      await this.#sendBytes(file, { key, size }, range, target)
    } finally {
      closeSync(file)
    }
  }

  async #sendBytes(
    file: number,
    object: Pick<DownloadGrant, 'key' | 'size'>,
    { start, end }: ByteRange,
    { response, onSent }: Pick<Download, 'response' | 'onSent'>,
  ) {
    const { socket } = response.req
    for (let offset = start; offset <= end && !socket.destroyed; ) {
      const chunk = await this.#acquireChunk(file, object, offset - (offset % chunkBytes))
      const occupies = this.#occupied < maxOccupied
      let flushed: Promise<void> | undefined
      try {
        if (socket.destroyed) return
        const bytes = chunk.buffer.subarray(offset - chunk.offset, end + 1 - chunk.offset)
        const outcome = occupies ? writeNow(bytes, response) : writeCopies(bytes, response)
        offset += outcome.sent
        onSent(outcome.sent)
        flushed = outcome.flushed
        if (flushed && occupies) {
          this.#occupied += 1
          await flushed
          this.#occupied -= 1
        }
      } finally {
        this.#release(chunk)
      }
      await flushed
    }
  }

  /**
   * Returns the chunk of a file that begins at this offset. Reads it from the file unless it is in
   * the pool.
   */
  async #acquireChunk(
    file: number,
    { key, size }: Pick<DownloadGrant, 'key' | 'size'>,
    offset: number,
  ): Promise<Chunk> {
    let chunk = this.#findChunk(key, offset)
    while (!chunk) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
      chunk = this.#findChunk(key, offset)
    }
    this.#chunks.push(...this.#chunks.splice(this.#chunks.indexOf(chunk), 1))
    chunk.users += 1
    if (chunk.key === key && chunk.offset === offset) return chunk
    const length = Math.min(chunkBytes, size - offset)
    Object.assign(chunk, { key: '', offset })
    try {
      const { bytesRead } = await readFile(file, chunk.buffer, 0, length, offset)
      if (bytesRead < length) throw new Error(`${key} ends at ${offset + bytesRead}, not ${size}`)
      return Object.assign(chunk, { key })
    } catch (error) {
      this.#release(chunk)
      throw error
    }
  }

  /**
   * Returns the chunk with these bytes, or else an unused chunk. Returns undefined if there is
   * neither.
   */
  #findChunk(key: string, offset: number): Chunk | undefined {
    const found =
      this.#chunks.find((chunk) => chunk.key === key && chunk.offset === offset) ??
      this.#chunks.find(({ users }) => users === 0)
    if (found || this.#chunks.length === maxChunks) return found
    const chunk = { buffer: Buffer.allocUnsafeSlow(chunkBytes), key: '', offset, users: 0 }
    this.#chunks.push(chunk)
    return chunk
  }

  #release(chunk: Chunk): void {
    chunk.users -= 1
    this.#waiting.shift()?.()
  }
}

/** @throws {Error} if the stored size differs from the grant. */
export function assertSize(grant: Pick<DownloadGrant, 'key' | 'size'>, size: number): void {
  if (size !== grant.size) throw new Error(`${grant.key}: ${size} bytes, not ${grant.size}`)
}

/** Writes copies of the bytes, piece by piece, until the kernel accepts no more. */
function writeCopies(bytes: Buffer, response: ServerResponse): WriteOutcome {
  let sentBytes = 0
  while (sentBytes < bytes.length) {
    const outcome = writeNow(
      Buffer.from(bytes.subarray(sentBytes, sentBytes + pieceBytes)),
      response,
    )
    sentBytes += outcome.sent
    if (outcome.flushed) return { sent: sentBytes, flushed: outcome.flushed }
  }
  return { sent: sentBytes }
}
