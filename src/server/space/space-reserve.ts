import { randomBytes } from 'node:crypto'
import { open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { mebibyte } from '../../shared/rules/format/units.ts'
import { codeOf } from '../errors.ts'

/**
 * The embedded Postgres fails with less free space than this: it needs another WAL segment (16 MiB)
 * and some pages for rows.
 */
export const breathingSpace = 20 * mebibyte
/** Enough for two emergencies: when the disk fills while the server runs, and at the next start. */
export const reserveBytes = 2 * breathingSpace
/**
 * The part of the reserve that only a start may free. If it were freed earlier, whatever filled the
 * disk would use it up.
 */
export const startupReserveBytes = reserveBytes / 2

/**
 * The reserve is filled in chunks of random bytes, because a compressing file system would store
 * zeros without using space.
 */
const chunkBytes = mebibyte

/**
 * A file named `reserve` that uses space while the disk has enough, and shrinks when the disk is
 * full. Without free space Postgres can neither start nor delete rows.
 */
export class SpaceReserve {
  readonly #path: string
  #size: number

  private constructor(path: string, size: number) {
    this.#path = path
    this.#size = size
  }

  /** Opens the reserve in `folder`, with the size that an earlier process gave it. */
  static async open(folder: string): Promise<SpaceReserve> {
    const path = join(folder, 'reserve')
    return new SpaceReserve(path, await readAllocatedBytes(path))
  }

  /** The reserve's current size on disk. */
  get size(): number {
    return this.#size
  }

  /** How many bytes the reserve lacks until it is full. */
  get missingBytes(): number {
    return Math.max(0, reserveBytes - this.#size)
  }

  /** Frees up to `bytes`, but keeps at least `minSize`. Returns the number of bytes freed. */
  async shrink(bytes: number, minSize: number): Promise<number> {
    const oldSize = this.#size
    const newSize = Math.max(0, Math.min(oldSize, Math.max(minSize, oldSize - bytes)))
    if (newSize === 0) await rm(this.#path, { force: true })
    else if (newSize < oldSize) await truncate(this.#path, newSize)
    this.#size = newSize
    return oldSize - newSize
  }

  /**
   * Fills the reserve until it is full or `signal` aborts.
   * @throws if the disk has too little space after all. The reserve is then unchanged.
   */
  async fill(signal: AbortSignal): Promise<void> {
    const oldSize = this.#size
    const file = await open(this.#path, oldSize === 0 ? 'w' : 'r+', 0o600)
    try {
      while (this.#size < reserveBytes && !signal.aborted) {
        const bytes = randomBytes(Math.min(chunkBytes, reserveBytes - this.#size))
        const { bytesWritten } = await file.write(bytes, 0, bytes.length, this.#size)
        this.#size += bytesWritten
      }
    } catch (error) {
      await file.truncate(oldSize)
      this.#size = oldSize
      throw error
    } finally {
      await file.close()
    }
  }
}

/** Returns how many bytes are allocated to a file on disk. */
async function readAllocatedBytes(path: string): Promise<number> {
  try {
    const { size, blocks } = await stat(path)
    return Math.min(size, blocks * 512)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}
