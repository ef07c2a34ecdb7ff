import { randomBytes } from 'node:crypto'
import { open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { mebibyte } from '../../shared/rules/format/units.ts'
import { codeOf } from '../errors.ts'

/**
 * The embedded Postgres fails with less free space than this: it needs another segment of its
 * write-ahead log (16 MiB) and some pages of rows.
 */
export const breathingSpace = 20 * mebibyte
/** Helps Postgres twice: when the disk fills while the server runs, and at the next start. */
export const reserveBytes = 2 * breathingSpace
/** Only a start may free this part. Earlier, the program that filled the disk would take it too. */
export const keptForStart = reserveBytes / 2

/** Random, because a compressing file system would store zeros without taking space. */
const chunkBytes = mebibyte

/**
 * A file named `reserve` that takes up space while the disk has enough, and shrinks when the disk
 * is full. Without free space Postgres can neither start nor delete rows.
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
    return new SpaceReserve(path, await allocatedBytes(path))
  }

  /** The bytes that the reserve takes up. */
  get held(): number {
    return this.#held
  }

  /** The bytes that are missing until the reserve is full. */
  get missing(): number {
    return Math.max(0, reserveBytes - this.#held)
  }

  /** Frees at most `bytes`, but keeps `keep`. Returns how many bytes it freed. */
  async shrink(bytes: number, keep: number): Promise<number> {
    const before = this.#held
    const left = Math.max(0, Math.min(before, Math.max(keep, before - bytes)))
    if (left === 0) await rm(this.#path, { force: true })
    else if (left < before) await truncate(this.#path, left)
    this.#held = left
    return before - left
  }

  /**
   * Fills the reserve, until `stop` aborts.
   * @throws when the disk has no space for it after all. The reserve is then as it was before.
   */
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
async function allocatedBytes(path: string): Promise<number> {
  try {
    const { size, blocks } = await stat(path)
    return Math.min(size, blocks * 512)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}
