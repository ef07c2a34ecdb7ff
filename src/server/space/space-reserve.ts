import { randomBytes } from 'node:crypto'
import { open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../start-fault.ts'
import { mebibyte } from './free-space.ts'

/**
 * The embedded Postgres fails if it has less room than this. It needs another file of its
 * write-ahead log (16 MiB) and some pages of rows.
 */
export const breathingSpace = 20 * mebibyte
/**
 * The reserve is used twice: when the disk fills while the server runs, and at the start after
 * that.
 */
export const reserveBytes = 2 * breathingSpace
/**
 * Only a start may take this part of the reserve. Otherwise the program that filled the disk would
 * fill it again.
 */
export const keptForStart = reserveBytes / 2

/**
 * The reserve is filled with random blocks of this size. A compressing file system would shrink
 * zeros, and the reserve would then hold no space.
 */
const chunkBytes = mebibyte

/**
 * A file named `reserve` whose bytes really take up space. It is filled while the disk has enough
 * room, and shrinks when the disk is full. On a full disk a database cannot even start or delete
 * rows.
 */
export class SpaceReserve {
  readonly #path: string
  #held: number

  private constructor(path: string, held: number) {
    this.#path = path
    this.#held = held
  }

  /** Opens the reserve in `folder`, as an earlier process left it. */
  static async open(folder: string): Promise<SpaceReserve> {
    const path = join(folder, 'reserve')
    return new SpaceReserve(path, await allocated(path))
  }

  /** The bytes that the reserve holds. */
  get held(): number {
    return this.#held
  }

  /** The bytes that are missing until the reserve is complete. */
  get missing(): number {
    return Math.max(0, reserveBytes - this.#held)
  }

  /** Gives up as many as `bytes`, but keeps at least `keep`. Returns how many bytes it gave. */
  async give(bytes: number, keep: number): Promise<number> {
    const before = this.#held
    const left = Math.max(0, Math.min(before, Math.max(keep, before - bytes)))
    if (left === 0) await rm(this.#path, { force: true })
    else if (left < before) await truncate(this.#path, left)
    this.#held = left
    return before - left
  }

  /** Completes the reserve. If the disk has no room after all, the reserve stays as it was. */
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

/** Returns how many bytes of a file take up space on the disk. */
async function allocated(path: string): Promise<number> {
  try {
    const { size, blocks } = await stat(path)
    return Math.min(size, blocks * 512)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}
