import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { threadLimits } from '../../thread-limits.ts'
import type { DigestAnswer, DigestOrder } from './digest-thread.ts'

const mebibyte = 1024 * 1024
/**
 * The thread is told of new bytes in steps of this size, because it opens the file for each step.
 */
const stepBytes = 8 * mebibyte
const blockBytes = mebibyte
/**
 * How many uploads are remembered: at most this many that the thread is reading, and at most this
 * many whose SHA-256 is known.
 */
const rememberedUploads = 500

/**
 * For files up to this size, hashing on the main thread costs less than asking the other thread.
 */
export const smallFileBytes = mebibyte

interface Told {
  bytes: number
  /**
   * The version that the file had when this server stopped writing the whole file. It is undefined
   * while the server writes. It is also undefined for an upload in parts, because the list of parts
   * shows every change.
   */
  version?: string
}

/**
 * Computes the SHA-256 of files while they arrive. A thread reads the bytes that are written
 * without a gap from the beginning, while the system still has them in memory. So hardly any bytes
 * are left to read when a file is sealed. The thread begins anew after a restart, after bytes that
 * it has read change, or after it ended with an error. The result is always the SHA-256 of the
 * bytes in the file, even if another server has changed them in the meantime.
 */
export class FileDigests {
  readonly #log: Logger
  #thread: Worker | undefined
  #closed = false
  /**
   * How many bytes of each file the thread was told to read, by key. The file that was mentioned
   * last is the last entry.
   */
  readonly #told = new Map<string, Told>()
  /** The computed SHA-256, by key, and the version of the file that has it. */
  readonly #known = new Map<string, { sha256: string; version: string }>()
  readonly #asked = new Map<number, PromiseWithResolvers<string>>()
  #lastQuestion = 0

  constructor(log: Logger) {
    this.#log = log
  }

  /**
   * Tells the thread that the first `bytes` bytes of the file at `path` are written. The caller
   * must call `changing` before any of them change.
   */
  follow(key: string, path: string, bytes: number): void {
    const told = this.#told.get(key)?.bytes ?? 0
    if (bytes - told < stepBytes) return
    this.#told.delete(key)
    this.#told.set(key, { bytes })
    this.#tell({ order: 'follow', key, path, bytes })
    for (const idle of oldest(this.#told)) this.#forgetProgress(idle)
  }

  /** Notes that the bytes from offset `from` to the end are about to change. */
  changing(key: string, from: number): void {
    this.#known.delete(key)
    if ((this.#told.get(key)?.bytes ?? 0) > from) this.#forgetProgress(key)
  }

  /**
   * Stores the SHA-256 that the caller has computed of all bytes under a key. It is valid until the
   * bytes change.
   */
  async know(key: string, sha256: string, file: FileHandle): Promise<void> {
    this.#known.set(key, { sha256, version: versionOf(await statOf(file)) })
    for (const old of oldest(this.#known)) this.#known.delete(old)
  }

  /**
   * Notes that this server stops writing the file of a key for now, and which version of the file it
   * leaves. `resume` compares that version. Uploads in parts do not call this.
   */
  async pause(key: string, file: FileHandle): Promise<void> {
    const told = this.#told.get(key)
    if (told) told.version = versionOf(await statOf(file))
  }

  /**
   * Notes that this server continues to write the file of a key. If another server has
   * written it since `pause`, the thread begins anew.
   */
  async resume(key: string, file: FileHandle): Promise<void> {
    const told = this.#told.get(key)
    if (!told) return
    this.#forgetIfOther(key, versionOf(await statOf(file)))
    delete told.version
  }

  #forgetIfOther(key: string, version: string): void {
    const noted = this.#told.get(key)?.version
    if (noted !== undefined && noted !== version) this.#forgetProgress(key)
  }

  /** Forgets a key whose bytes were removed. */
  forget(key: string): void {
    this.changing(key, 0)
  }

  /**
   * Returns the SHA-256, in hexadecimal, of a whole file. The file must not change meanwhile.
   * @throws when the file cannot be read.
   */
  async of(key: string, path: string, file: FileHandle): Promise<string> {
    const stats = await statOf(file)
    const version = versionOf(stats)
    const known = this.#known.get(key)
    if (known?.version === version) return known.sha256
    this.#forgetIfOther(key, version)
    const size = Number(stats.size)
    const sha256 =
      (size > smallFileBytes && (await this.#askThread(key, path, size))) ||
      (await read(file, size))
    this.#told.delete(key)
    await this.know(key, sha256, file)
    return sha256
  }

  /** Ends the thread. After that, each SHA-256 is computed on the main thread. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#thread?.terminate()
  }

  #forgetProgress(key: string): void {
    this.#told.delete(key)
    this.#tell({ order: 'forget', key })
  }

  /** Asks the thread for a SHA-256. Returns null when the thread cannot compute it. */
  async #askThread(key: string, path: string, bytes: number): Promise<string | null> {
    this.#lastQuestion += 1
    const question = this.#lastQuestion
    if (!this.#tell({ order: 'finish', key, path, bytes, question })) return null
    const answer = Promise.withResolvers<string>()
    this.#asked.set(question, answer)
    try {
      return await answer.promise
    } catch (error) {
      this.#log.warn({ err: error, key }, 'a SHA-256 is computed on the main thread')
      return null
    }
  }

  /** Sends an order to the thread. Returns false when the thread cannot be started. */
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
      // The next order starts another thread, which reads each file from its beginning.
      this.#thread = undefined
      for (const { reject } of this.#asked.values()) reject(new Error('the digest thread ended'))
      this.#asked.clear()
    })
    return thread
  }
}

/** Yields the oldest keys beyond the limit. The caller deletes each one. */
function* oldest(map: Map<string, unknown>): Generator<string> {
  for (const key of map.keys()) {
    if (map.size <= rememberedUploads) return
    yield key
  }
}

function statOf(file: FileHandle): Promise<BigIntStats> {
  return file.stat({ bigint: true })
}

/**
 * Returns a text that changes when the bytes of the file change, and stays the same when the file
 * is renamed.
 */
function versionOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs}`
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
