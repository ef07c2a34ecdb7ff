import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { DigestAnswer, DigestOrder } from './digest-thread.ts'

const mebibyte = 1024 * 1024
/** The thread is told of new bytes in steps: each costs it the opening of the file. */
const stepBytes = 8 * mebibyte
const blockBytes = mebibyte
/** Of so many uploads it is remembered how far their SHA-256 is, and of so many what it was. */
const rememberedUploads = 500
/** The thread holds one block and what its few messages need. */
const threadLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }

/** Files up to here are cheaper reckoned where their bytes are than handed over. */
export const smallFileBytes = mebibyte

/**
 * The SHA-256 of files, reckoned while they arrive: a thread follows the bytes from the beginning
 * as far as they are written without a gap, out of the filesystem's cache, so that when a file is
 * sealed hardly any are left to read. Where the thread knows nothing (after a restart, after bytes
 * under its way changed, when it died) it begins anew; the answer is always that of the bytes there.
 */
export class FileDigests {
  readonly #log: Logger
  #thread: Worker | undefined
  #closed = false
  /** How far the thread was told to go, by key; the longest untold come first. */
  readonly #told = new Map<string, number>()
  /** What it came to, by key. */
  readonly #known = new Map<string, string>()
  readonly #asked = new Map<number, PromiseWithResolvers<string>>()
  #lastQuestion = 0

  constructor(log: Logger) {
    this.#log = log
  }

  /** The first `bytes` bytes of the file at `path` are written, and `changing` is told before they change. */
  follow(key: string, path: string, bytes: number): void {
    const told = this.#told.get(key) ?? 0
    if (bytes - told < stepBytes) return
    this.#told.delete(key)
    this.#told.set(key, bytes)
    this.#tell({ order: 'follow', key, path, bytes })
    for (const idle of oldest(this.#told)) this.#forgetProgress(idle)
  }

  /** The bytes from offset `from` on are about to change. */
  changing(key: string, from: number): void {
    this.#known.delete(key)
    if ((this.#told.get(key) ?? 0) > from) this.#forgetProgress(key)
  }

  /** The SHA-256 of all bytes under a key, known already; until they change. */
  know(key: string, sha256: string): void {
    this.#known.set(key, sha256)
    for (const old of oldest(this.#known)) this.#known.delete(old)
  }

  /** Nothing is under the key any more. */
  forget(key: string): void {
    this.changing(key, 0)
  }

  /**
   * The SHA-256, in hexadecimal, of a whole file that nobody changes meanwhile.
   * @throws when it cannot be read.
   */
  async of(key: string, path: string, file: FileHandle): Promise<string> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const { size } = await file.stat()
    const sha256 =
      (size > smallFileBytes && (await this.#askThread(key, path, size))) ||
      (await read(file, size))
    this.#told.delete(key)
    this.know(key, sha256)
    return sha256
  }

  /** Ends the thread. What is asked afterwards is reckoned without one. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#thread?.terminate()
  }

  #forgetProgress(key: string): void {
    this.#told.delete(key)
    this.#tell({ order: 'forget', key })
  }

  /** Null when the thread cannot tell. */
  async #askThread(key: string, path: string, bytes: number): Promise<string | null> {
    this.#lastQuestion += 1
    const question = this.#lastQuestion
    if (!this.#tell({ order: 'finish', key, path, bytes, question })) return null
    const answer = Promise.withResolvers<string>()
    this.#asked.set(question, answer)
    try {
      return await answer.promise
    } catch (error) {
      this.#log.warn({ err: error, key }, 'a SHA-256 is reckoned on the main thread')
      return null
    }
  }

  /** False when nobody hears it. */
  #tell(order: DigestOrder): boolean {
    if (this.#closed) return false
    try {
      this.#thread ??= this.#start()
    } catch (error) {
      this.#log.error({ err: error }, 'the digest thread cannot be started')
      return false
    }
    this.#thread.postMessage(order)
    return true
  }

  #start(): Worker {
    const thread = new Worker(new URL('./digest-thread.ts', import.meta.url), {
      resourceLimits: threadLimits,
    })
    thread.unref()
    thread.on('message', ({ question, sha256, error }: DigestAnswer) => {
      const asked = this.#asked.get(question)
      this.#asked.delete(question)
      if (sha256 === undefined) asked?.reject(new Error(error))
      else asked?.resolve(sha256)
    })
    thread.on('error', (error) => this.#log.error({ err: error }, 'the digest thread failed'))
    thread.on('exit', () => {
      // The next that is told starts another, which knows nothing and begins at each file's start.
      this.#thread = undefined
      for (const { reject } of this.#asked.values()) reject(new Error('the digest thread ended'))
      this.#asked.clear()
    })
    return thread
  }
}

/** The keys that are too many, to be deleted as they come. */
function* oldest(map: Map<string, unknown>): Generator<string> {
  for (const key of map.keys()) {
    if (map.size <= rememberedUploads) return
    yield key
  }
}

async function read(file: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256')
  const block = Buffer.allocUnsafe(Math.min(size, blockBytes))
  for (let offset = 0; offset < size; ) {
    const { bytesRead } = await file.read(block, 0, block.length, offset)
    if (bytesRead === 0) throw new Error('the file became shorter while it was read')
    hash.update(block.subarray(0, bytesRead))
    offset += bytesRead
  }
  return hash.digest('hex')
}
