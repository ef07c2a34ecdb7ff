import { randomBytes } from 'node:crypto'
import { open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../start-fault.ts'
import { mebibyte } from './free-space.ts'

/**
 * What the embedded Postgres needs to go on without a fault: room for one more file of its
 * write-ahead log (16 MiB), without which it ends, and for some pages of rows.
 */
export const breathingSpace = 20 * mebibyte
/** Once for a disk that fills while the server runs, and once for the start after it. */
export const reserveBytes = 2 * breathingSpace
/** So much of it only a start may take: what filled the disk once would fill it again. */
export const keptForStart = reserveBytes / 2

/** Bytes that no file system can shrink: one that compresses would keep nothing of zeros. */
const chunkBytes = mebibyte

/**
 * Space that is taken while there is enough, and given up when there is none: a file `reserve` of
 * bytes that are really there. Of a full disk a database cannot even start, let alone delete.
 */
export class SpaceReserve {
  readonly #path: string
  #held: number

  private constructor(path: string, held: number) {
    this.#path = path
    this.#held = held
  }

  /** Finds what an earlier process left of it in `folder`. */
  static async open(folder: string): Promise<SpaceReserve> {
    const path = join(folder, 'reserve')
    return new SpaceReserve(path, await allocated(path))
  }

  /** Bytes that it holds. */
  get held(): number {
    return this.#held
  }

  /** Bytes that it lacks to be whole. */
  get missing(): number {
    return Math.max(0, reserveBytes - this.#held)
  }

  /** Gives up `bytes`, or as much as it has beyond `keep`. Answers how many bytes it gave. */
  async give(bytes: number, keep: number): Promise<number> {
    const before = this.#held
    const left = Math.max(0, Math.min(before, Math.max(keep, before - bytes)))
    if (left === 0) await rm(this.#path, { force: true })
    else if (left < before) await truncate(this.#path, left)
    this.#held = left
    return before - left
  }

  /** Makes it whole; a disk that has no room after all leaves it as it was. */
  async fill(stop: AbortSignal): Promise<void> {
    const before = this.#held
    const file = await open(this.#path, before === 0 ? 'w' : 'r+', 0o600)
    try {
      while (this.#held < reserveBytes && !stop.aborted) {
        const bytes = randomBytes(Math.min(chunkBytes, reserveBytes - this.#held))
        const { bytesWritten } = await file.write(bytes, 0, bytes.length, this.#held)
        this.#held += bytesWritten
      }
    } catch (error) {
      await file.truncate(before)
      this.#held = before
      throw error
    } finally {
      await file.close()
    }
  }
}

/** Bytes of a file that have their place on the disk, from its beginning. */
async function allocated(path: string): Promise<number> {
  try {
    const { size, blocks } = await stat(path)
    return Math.min(size, blocks * 512)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}
