import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { AppError } from '../errors.ts'
import type { BlockPool } from './block-pool.ts'

export interface BlockWriterOptions {
  /** Stays the caller's to close, after the stream has closed. */
  file: FileHandle
  blocks: BlockPool
  /** The byte offset in the file at which the first byte lands. */
  start: number
  /** The offset that may be reached and never passed. */
  limit: number
  /** Called with each chunk before it is taken; what it rejects with ends the stream. */
  onBytes(chunk: Buffer): Promise<void> | undefined
  /** Called when all bytes up to this offset of the file have been written. */
  onWritten?(offset: number): void
}

/**
 * Writes a stream into a file, in order and without a gap, holding 2 MiB at most. When it finishes,
 * all that it took is written; a chunk that would pass the limit ends it with FILE_TOO_LARGE before
 * any of that chunk is written.
 *
 * Why not createWriteStream: Node hands over the body in fresh buffers of at most 64 KiB. Kept until
 * they are written, they outlive the young generation of the garbage collector, and each costs a
 * trip to the thread pool. Copied into two fixed blocks in turn, one filling while the other is
 * being written, they die young: 1.4 times the throughput or more, and steady memory.
 */
export class BlockWriter extends Writable {
  readonly #options: BlockWriterOptions
  /** Where the bytes in the filling block will land. */
  #position: number
  #filling: Buffer | undefined
  #filled = 0
  #writing: Promise<void> | undefined

  constructor(options: BlockWriterOptions) {
    super()
    this.#options = options
    this.#position = options.start
  }

  /** The offset behind the last byte taken. */
  get offset(): number {
    return this.#position + this.#filled
  }

  /** Writes what has been taken so far, and goes on. */
  async flush(): Promise<void> {
    await this.#startBlock()
    await this.#writing
    if (this.errored) throw this.errored
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const checking = this.#options.onBytes(chunk)
    if (checking || !this.#copyAtOnce(chunk)) this.#take(chunk, checking).then(() => done(), done)
    else done()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.flush().then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const end = () => {
      if (this.#filling) this.#options.blocks.give(this.#filling)
      this.#filling = undefined
      done(error)
    }
    if (this.#writing) void this.#writing.then(end)
    else end()
  }

  /** Most chunks fit into the filling block, and nothing has to be waited for. */
  #copyAtOnce(chunk: Buffer): boolean {
    const fits = this.#filling && this.#filled + chunk.length <= this.#filling.length
    if (!fits || this.offset + chunk.length > this.#options.limit) return false
    this.#filled += chunk.copy(this.#filling as Buffer, this.#filled)
    return true
  }

  async #take(chunk: Buffer, checking: Promise<void> | undefined): Promise<void> {
    await checking
    if (this.offset + chunk.length > this.#options.limit) throw new AppError('FILE_TOO_LARGE')
    for (let taken = 0; taken < chunk.length; ) {
      if (this.#filling && this.#filled === this.#filling.length) await this.#startBlock()
      this.#assertOpen()
      this.#filling ??= this.#newBlock()
      const copied = chunk.copy(this.#filling, this.#filled, taken)
      this.#filled += copied
      taken += copied
    }
  }

  /** Begins to write what is in the filling block, once the one before has been written. */
  async #startBlock(): Promise<void> {
    while (this.#writing) await this.#writing
    this.#assertOpen()
    const block = this.#filling
    if (!block || this.#filled === 0) return
    const written = block.subarray(0, this.#filled)
    const position = this.#position
    this.#position += this.#filled
    this.#filled = 0
    this.#filling = undefined
    this.#writing = this.#writeBlock(written, position)
      .catch((error) => {
        this.destroy(error)
      })
      .then(() => {
        this.#writing = undefined
        this.#options.blocks.give(block)
      })
  }

  async #writeBlock(block: Buffer, position: number): Promise<void> {
    for (let written = 0; written < block.length; ) {
      const { bytesWritten } = await this.#options.file.write(
        block,
        written,
        block.length - written,
        position + written,
      )
      written += bytesWritten
    }
    this.#options.onWritten?.(position + block.length)
  }

  #newBlock(): Buffer {
    const { blocks, start, limit } = this.#options
    return blocks.take(limit - start)
  }

  #assertOpen(): void {
    if (this.destroyed) throw this.errored ?? new Error('the writer is closed')
  }
}
