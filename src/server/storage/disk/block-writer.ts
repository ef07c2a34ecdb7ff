import { Writable } from 'node:stream'
import { AppError } from '../../errors.ts'
import type { GatheredBytes } from './gathered-bytes.ts'

const blockBytes = 512 * 1024
/**
 * Many small chunks cost more to write than few large ones. So a block is written when it has this
 * many chunks, even if they are short.
 */
const blockChunks = 64
/**
 * When a sender pauses for this long, the bytes that it sent are written, because they would only
 * take up memory.
 */
const stillMs = 1000

/** The one method of a `FileHandle` that is needed here. It may write less than it is given. */
interface BlockFile {
  writev(chunks: Buffer[], position: number): Promise<{ bytesWritten: number }>
}

export interface BlockWriterOptions {
  /** The caller closes this file after the stream has closed. */
  file: BlockFile
  /** Where the first byte goes in the file: an offset in bytes. */
  start: number
  /** The offset in the file beyond which nothing is written. */
  limit: number
  /** Counts the bytes that all uploads together keep in memory before they are written. */
  memory: GatheredBytes
  /**
   * Called with each chunk before it is accepted. If it rejects, the stream ends with its error.
   */
  onBytes(chunk: Buffer): Promise<void> | undefined
}

/**
 * Writes a stream into a file, in order and without a gap. It keeps at most two blocks in memory:
 * it gathers one while it writes the other. Blocks are smaller while all uploads together keep much
 * in memory, and when the sender pauses. When the stream finishes, all bytes that it accepted are
 * written. A chunk that would go beyond the limit ends the stream with FILE_TOO_LARGE before any
 * byte of that chunk is written.
 *
 * The writer frees the memory of each written chunk. So the caller must not use a chunk afterwards.
 */
export class BlockWriter extends Writable {
  readonly #options: BlockWriterOptions
  /** Where the block that is being gathered begins in the file. */
  #position: number
  #gathered: Buffer[] = []
  #gatheredBytes = 0
  #writing: Promise<void> | undefined
  #stillness: NodeJS.Timeout | undefined

  constructor(options: BlockWriterOptions) {
    super()
    this.#options = options
    this.#position = options.start
  }

  /**
   * Where the next byte will go in the file. All bytes before it are accepted, but some may not be
   * written yet.
   */
  get offset(): number {
    return this.#position + this.#gatheredBytes
  }

  /** Writes all bytes that were accepted so far. The stream goes on. */
  async flush(): Promise<void> {
    await this.#startBlock()
    await this.#writing
    if (this.errored) throw this.errored
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const checking = this.#options.onBytes(chunk)
    // Most chunks are only gathered in memory, so there is nothing to wait for.
    const waiting = checking ? checking.then(() => this.#take(chunk)) : this.#take(chunk)
    if (waiting) waiting.then(() => done(), done)
    else done()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.flush().then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stillness)
    this.#options.memory.remove(this.#gatheredBytes)
    if (this.#writing) void this.#writing.then(() => done(error))
    else done(error)
  }

  /** Accepts a chunk. If it returns a promise, the next chunk must wait for that. */
  #take(chunk: Buffer): Promise<void> | undefined {
    // The stream may have ended while the chunk was checked.
    if (this.destroyed) return undefined
    if (this.offset + chunk.length > this.#options.limit) {
      return Promise.reject(new AppError('FILE_TOO_LARGE'))
    }
    const { memory } = this.#options
    this.#gathered.push(chunk)
    this.#gatheredBytes += chunk.length
    memory.add(chunk.length)
    this.#stillness ??= setTimeout(() => this.#writeStill(), stillMs).unref()
    this.#stillness.refresh()
    const isBlock = this.#gatheredBytes >= blockBytes || this.#gathered.length >= blockChunks
    return isBlock || memory.isFull ? this.#startBlock() : undefined
  }

  #writeStill(): void {
    // If this fails, the error ends the stream, which reports it to its user.
    this.flush().catch(() => undefined)
  }

  /** Writes the gathered block as soon as the block before it is written. */
  #startBlock(): Promise<void> | undefined {
    if (this.#writing) return this.#writing.then(() => this.#startBlock())
    if (this.destroyed) return Promise.reject(this.errored ?? new Error('the writer is closed'))
    const block = this.#gathered
    if (block.length === 0) return undefined
    const position = this.#position
    const bytes = this.#gatheredBytes
    this.#position += bytes
    this.#gathered = []
    this.#gatheredBytes = 0
    this.#writing = this.#writeBlock(block, position)
      .catch((error) => {
        this.destroy(error)
      })
      .then(() => {
        this.#writing = undefined
        this.#options.memory.remove(bytes)
        for (const chunk of block) freeMemory(chunk)
      })
    return undefined
  }

  async #writeBlock(block: Buffer[], start: number): Promise<void> {
    let position = start
    for (let left = block; left.length > 0; ) {
      const { bytesWritten } = await this.#options.file.writev(left, position)
      position += bytesWritten
      left = behind(left, bytesWritten)
    }
  }
}

/** Returns the chunks without their first `bytes` bytes. */
function behind(chunks: Buffer[], bytes: number): Buffer[] {
  let skip = bytes
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(skip, chunk.length))
    skip -= chunk.length - rest.length
    return rest.length > 0 ? [rest] : []
  })
}

/**
 * Frees a chunk's memory immediately. Node hands over a body in fresh buffers of at most 64 KiB. If
 * they were left to the garbage collector, it would search the whole heap after every 64 MiB of
 * them. That took a third of an upload's processor time, and kept 50 to 100 MiB of unused buffers
 * in memory.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  // If other buffers share this memory, it is not freed.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
