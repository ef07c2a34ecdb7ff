import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Logger } from 'pino'
import { mebibyte } from '../../../shared/rules/format/units.ts'
import type { DigestThreadData } from './digest-thread.ts'
import { type Digest, DigestWorker } from './digest-worker.ts'

/**
 * The thread is told of new bytes in steps of this size, because it opens the file for each step.
 */
const stepBytes = 8 * mebibyte
const blockBytes = mebibyte
/**
 * With instructions for SHA-256, a processor computes it at more than 1,000 MB/s, without them at
 * 200 to 400 MB/s. Without them, a fast line brings more than the thread can read. If a slow thread
 * lags behind by more than 64 MiB, it leaves the processor to the uploads. (The browser sends five
 * parts in parallel, so 40 MiB can become complete at once.)
 */
const usualPace: DigestPace = { quickBytes: 700, lagBytes: 64 * mebibyte }
/**
 * How many uploads are remembered: at most this many that the thread is reading, and at most this
 * many whose SHA-256 is known.
 */
const rememberedUploads = 500

/**
 * For files up to this size, hashing on the main thread costs less than asking the other thread.
 */
export const smallFileBytes = mebibyte

/** When a thread is too slow to follow a file. */
export type DigestPace = Omit<DigestThreadData, 'isUnhurried'>

/**
 * How much somebody needs a SHA-256. `now`: the caller waits for it. `if near`: the caller waits
 * only if that does not take long. `unhurried`: the caller waits, and everything else goes first.
 * The other two never wait for an unhurried caller of the same file.
 */
export type Hurry = 'now' | 'if near' | 'unhurried'

/** Whose SHA-256 is wanted, and how much. */
interface Wanted {
  key: string
  path: string
  file: FileHandle
  hurry: Hurry
}

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
 * are left to read when a file is sealed. If the thread cannot keep up, it stops reading that file,
 * and its SHA-256 is computed later (decision 063). The thread begins anew after a restart, after
 * bytes that it has read change, or after it ended with an error. The result is always the SHA-256
 * of the bytes in the file, even if another server has changed them in the meantime.
 */
export class FileDigests {
  readonly #follower: DigestWorker
  /** Computes what nobody waits for. It ends when it has nothing to do. */
  readonly #unhurried: DigestWorker
  #closed = false
  /**
   * How many bytes of each file the thread was told to read, by key. The file that was mentioned
   * last is the last entry.
   */
  readonly #told = new Map<string, Told>()
  /** The computed SHA-256, by key, and the version of the file that has it. */
  readonly #known = new Map<string, { sha256: string; version: string }>()
  /** What is being computed for callers who wait for it, by key. */
  readonly #hurried: Turns = new Map()
  /** What is being computed for unhurried callers, by key. */
  readonly #patient: Turns = new Map()

  /** @param pace tests use another one. */
  constructor(log: Logger, pace: DigestPace = usualPace) {
    this.#follower = new DigestWorker(log, { ...pace, isUnhurried: false })
    this.#unhurried = new DigestWorker(log, { ...pace, isUnhurried: true })
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
    this.#follower.tell({ order: 'follow', key, path, bytes })
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
   * Notes that this server stops writing the file of a key for now, and which version of the file
   * it leaves. `resume` and `of` compare that version. Uploads in parts do not call this.
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
   * Returns the SHA-256, in hexadecimal, of a whole file. The file must not change meanwhile. If it
   * is asked for several times at once, it is computed once.
   * @returns null if it would take long and `hurry` is 'if near'.
   * @throws when the file cannot be read, or the server stops before an unhurried digest is ready.
   */
  of(key: string, path: string, file: FileHandle, hurry: Hurry): Promise<string | null> {
    const wanted = { key, path, file, hurry }
    if (hurry === 'unhurried') {
      return inTurn(this.#patient, key, () => this.#computePatiently(wanted))
    }
    const digest = inTurn(this.#hurried, key, () => this.#computeNow(wanted))
    // The unhurried thread stops reading this file. Whoever waits for it gets this result too.
    if (hurry === 'now' && this.#patient.has(key)) this.#unhurried.forget(key)
    return digest
  }

  /** Computes a SHA-256 at once. Begins anew if the thread has forgotten the file meanwhile. */
  async #computeNow(wanted: Wanted): Promise<string | null> {
    for (;;) {
      const digest = await this.#compute(wanted)
      if (digest === 'far') return null
      if (digest !== 'forgotten') return digest.sha256
    }
  }

  /**
   * Computes a SHA-256 while nobody needs it at once. If somebody does, waits for that caller and
   * takes the result.
   */
  async #computePatiently(wanted: Wanted): Promise<string | null> {
    for (;;) {
      await this.#hurried.get(wanted.key)?.catch(() => undefined)
      const digest = await this.#compute(wanted)
      if (typeof digest === 'object') return digest.sha256
    }
  }

  async #compute({ key, path, file, hurry }: Wanted): Promise<Digest> {
    const stats = await statOf(file)
    const version = versionOf(stats)
    const known = this.#known.get(key)
    if (known?.version === version) return known
    this.#forgetIfOther(key, version)
    const size = Number(stats.size)
    const digest = size > smallFileBytes ? await this.#ask({ key, path, bytes: size }, hurry) : null
    if (typeof digest === 'string') return digest
    if (hurry === 'unhurried' && this.#closed) throw new Error('the server stops')
    const sha256 = digest?.sha256 ?? (await read(file, size))
    this.#told.delete(key)
    await this.know(key, sha256, file)
    return { sha256 }
  }

  async #ask(
    what: { key: string; path: string; bytes: number },
    hurry: Hurry,
  ): Promise<Digest | null> {
    if (hurry !== 'unhurried')
      return this.#follower.ask({ ...what, onlyIfNear: hurry === 'if near' })
    if (this.#hurried.has(what.key)) return 'forgotten'
    // The unhurried thread reads the file from its beginning. So the thread that follows uploads
    // need not remember it.
    if (this.#told.has(what.key)) this.#forgetProgress(what.key)
    return this.#unhurried.ask({ ...what, onlyIfNear: false })
  }

  /**
   * Ends the threads. After that, the main thread computes each SHA-256, but none for an unhurried
   * caller: for that caller `of` rejects, unless the SHA-256 is already known.
   */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#follower.close(), this.#unhurried.close()])
  }

  #forgetProgress(key: string): void {
    this.#told.delete(key)
    this.#follower.forget(key)
  }
}

/** The last work for each key that has not ended yet. */
type Turns = Map<string, Promise<string | null>>

/** Does work after all earlier work for the same key, even if that has failed. */
async function inTurn(
  turns: Turns,
  key: string,
  work: () => Promise<string | null>,
): Promise<string | null> {
  const before = turns.get(key)
  const turn = before ? before.then(work, work) : work()
  turns.set(key, turn)
  try {
    return await turn
  } finally {
    if (turns.get(key) === turn) turns.delete(key)
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
