import { Writable } from 'node:stream'
import { AppError } from '../../errors.ts'
import type { GatheredBytes } from './gathered-bytes.ts'

const blockBytes = 512 * 1024
/** Small chunks cost more than their bytes; so many make a block, however short. */
const blockChunks = 64
/** Whoever sends nothing for so long has what came written: it would only lie in the memory. */
const stillMs = 1000

/** A `FileHandle`, as far as it is needed here; it may write less than it is given. */
interface BlockFile {
  writev(chunks: Buffer[], position: number): Promise<{ bytesWritten: number }>
}

export interface BlockWriterOptions {
  /** Stays the caller's to close, after the stream has closed. */
  file: BlockFile
  /** The byte offset in the file at which the first byte lands. */
  start: number
  /** The offset that may be reached and never passed. */
  limit: number
  /** What this and all other uploads have gathered. */
  memory: GatheredBytes
  /** Called with each chunk before it is taken; what it rejects with ends the stream. */
  onBytes(chunk: Buffer): Promise<void> | undefined
  /** Called when all bytes up to this offset of the file have been written. */
  onWritten?(offset: number): void
}

/**
 * Writes a stream into a file, in order and without a gap, holding two blocks at most: one gathers
 * while the other is being written. It holds less while all uploads together hold much, and nothing
 * for long while its sender pauses. When it finishes, all that it took is written; a chunk that would
 * pass the limit ends it with FILE_TOO_LARGE before any of that chunk is written.
 *
 * It frees the memory of the chunks it has written: nobody may look at one afterwards.
 */
export class BlockWriter extends Writable {
  readonly #options: BlockWriterOptions
  /** Where the bytes of the gathered block will land. */
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

  /** The offset behind the last byte taken. */
  get offset(): number {
    return this.#position + this.#gatheredBytes
  }

  /** Writes what has been taken so far, and goes on. */
  async flush(): Promise<void> {
    await this.#startBlock()
    await this.#writing
    if (this.errored) throw this.errored
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const checking = this.#options.onBytes(chunk)
    // Most chunks are only gathered, and nothing has to be waited for.
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

  /** What it answers is to be awaited before the next chunk. */
  #take(chunk: Buffer): Promise<void> | undefined {
    // While the chunk was being looked at, the stream may have ended.
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
    // What goes wrong has ended the stream, which tells of it.
    this.flush().catch(() => undefined)
  }

  /** Begins to write what is gathered, once the block before has been written. */
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
    this.#options.onWritten?.(position)
  }
}

/** What is left of the chunks behind their first bytes. */
function behind(chunks: Buffer[], bytes: number): Buffer[] {
  let skip = bytes
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(skip, chunk.length))
    skip -= chunk.length - rest.length
    return rest.length > 0 ? [rest] : []
  })
}

/**
 * Frees a chunk's memory at once. Node hands over a body in fresh buffers of 64 KiB at most; left to
 * the garbage collector, each 64 MiB of them make it mark the whole heap of the program, which was a
 * third of the processor time of an upload and let 50 to 100 MiB lie about.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  // Not where other buffers may have bytes in the same memory.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
