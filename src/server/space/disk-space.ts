import { statfs } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { formatSize, formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { mebibyte } from '../../shared/rules/format/units.ts'
import { breathingSpace, keptForStart, SpaceReserve } from './space-reserve.ts'

/** Other programs can fill the disk at any time, and `statfs` takes microseconds. */
const readEveryMs = 500
/** Free space between filling and shrinking the reserve, so that the two do not alternate. */
const margin = 4 * mebibyte

export interface DiskSpaceOptions {
  /** A folder on the file system. The reserve for the database lies in it. */
  folder: string
  /** The setting `MIN_FREE_SPACE`; null for its default. */
  minFree: number | null
  /** Whether uploads are stored on this disk, and not in a bucket. */
  takesUploads: boolean
  /**
   * Whether to keep a reserve for an embedded Postgres on this disk: a file that shrinks when the
   * disk is full, so that Postgres can go on.
   */
  keepsReserve: boolean
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** The free space of a disk, and how much of it uploads must leave. */
export interface DiskFigures extends FreeSpace {
  /** The bytes that uploads must leave free. */
  minFree: number
  /** `MIN_FREE_SPACE` or its default. The administrator or the database may need more. */
  operatorMinFree: number
}

/** The space that uploads may take. */
export interface UploadSpace {
  /** Tells whether uploads may take `bytes` more. */
  hasSpaceFor(bytes: number): Promise<boolean>
  /** Takes space for bytes that are about to be written. Returns false if there is too little. */
  take(bytes: number): boolean
}

/**
 * The free space of one file system, of which uploads must leave a part free (decision 026). For an
 * embedded database, a reserve is freed when the disk is full.
 */
export class DiskSpace implements UploadSpace {
  readonly #options: DiskSpaceOptions
  readonly #reserve: SpaceReserve | null
  readonly #closing = new AbortController()
  #watching: Promise<void> | undefined
  #adminMinFree = 0
  #free = 0
  #size = 0
  /** The bytes that uploads have taken, in total and when the free space was last read. */
  #taken = 0
  #takenAtRead = 0
  #isShort = false
  #isOut = false

  private constructor(options: DiskSpaceOptions, reserve: SpaceReserve | null) {
    this.#options = options
    this.#reserve = reserve
  }

  /** Reads the free space, and frees as much of the reserve as the database needs to start. */
  static async open(options: DiskSpaceOptions): Promise<DiskSpace> {
    const reserve = options.keepsReserve ? await SpaceReserve.open(options.folder) : null
    const space = new DiskSpace(options, reserve)
    await space.#read()
    await space.#shrinkReserve(0)
    return space
  }

  /** Reads the free space regularly from now on, and fills the reserve while there is space. */
  watch(): void {
    this.#watching ??= this.#watch()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#watching
  }

  async hasSpaceFor(bytes: number): Promise<boolean> {
    if (this.availableBytes() < bytes) await this.#read()
    return this.availableBytes() >= bytes
  }

  take(bytes: number): boolean {
    if (this.availableBytes() < bytes) return false
    this.#taken += bytes
    return true
  }

  /** Returns how many bytes uploads may take now; negative below the minimum. */
  availableBytes(): number {
    return this.#free - (this.#taken - this.#takenAtRead) - this.#minFree()
  }

  /** Returns the free space at the last read, in bytes. */
  freeBytes(): number {
    return this.#free
  }

  /** Reads the free space again, and returns what a person should know about it. */
  async figures(): Promise<DiskFigures> {
    await this.#read()
    const operatorMinFree = this.#operatorMinFree()
    return { free: this.#free, size: this.#size, minFree: this.#minFree(), operatorMinFree }
  }

  /** Sets how many bytes uploads must leave free, as the administrator has chosen. */
  setAdminMinFree(bytes: number): void {
    this.#adminMinFree = bytes
  }

  #minFree(): number {
    return Math.max(this.#operatorMinFree(), this.#adminMinFree, this.#databaseMinFree())
  }

  #operatorMinFree(): number {
    return this.#options.minFree ?? defaultMinFree(this.#size)
  }

  #databaseMinFree(): number {
    if (!this.#reserve) return 0
    return breathingSpace + margin + this.#reserve.missing
  }

  async #watch(): Promise<void> {
    let fault: unknown
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await this.#read()
        await this.#shrinkReserve(keptForStart)
        await this.#fillReserve()
        this.#logShortage()
        fault = undefined
      } catch (error) {
        if (fault === undefined) {
          this.#options.log.error({ err: error }, 'Cannot read the free space')
        }
        fault = error
      }
      await wait(readEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #read(): Promise<void> {
    // The result may or may not include bytes that are written meanwhile, so they count as taken.
    const taken = this.#taken
    const { free, size } = await readFreeSpace(this.#options.folder)
    this.#free = free
    this.#size = size
    this.#takenAtRead = taken
  }

  async #shrinkReserve(keep: number): Promise<void> {
    if (!this.#reserve || this.#free >= breathingSpace) return
    const { log } = this.#options
    const freed = await this.#reserve.shrink(breathingSpace + margin - this.#free, keep)
    if (freed > 0) {
      const bytes = { freed, free: this.#free, left: this.#reserve.held }
      log.warn(bytes, 'Disk full: freed a part of the reserve. Free some space')
      await this.#read()
    } else if (!this.#isOut && this.#reserve.held <= keep) {
      this.#isOut = true
      log.error({ free: this.#free }, 'Disk full: no reserve left to free. Free some space now')
    }
  }

  async #fillReserve(): Promise<void> {
    if (!this.#reserve || this.#reserve.missing === 0) return
    if (this.#free - this.#reserve.missing < breathingSpace + margin) return
    try {
      await this.#reserve.fill(this.#closing.signal)
      this.#isOut = false
    } catch (error) {
      // Other programs have used the space meanwhile. The next read shows it.
      if (!isDiskFull(error)) throw error
    }
    await this.#read()
  }

  /** Logs once that the minimum is reached, and once that there is well more again. */
  #logShortage(): void {
    const { log, takesUploads } = this.#options
    const [free, size, minFree] = [this.#free, this.#size, this.#minFree()]
    if (!this.#isShort && free <= minFree) {
      this.#isShort = true
      const effect = takesUploads ? 'uploads are refused' : 'the database may need it soon'
      const remedy =
        minFree < size
          ? 'Free some, or set MIN_FREE_SPACE'
          : 'The whole disk is smaller than the minimum. Set MIN_FREE_SPACE, or "Minimum free space" in the Admin Center, to less than the disk, or enlarge the disk'
      log.warn({ free, minFree, size }, `Too little free space: ${effect}. ${remedy}`)
    } else if (this.#isShort && free >= minFree + Math.max(margin, minFree / 20)) {
      this.#isShort = false
      log.info({ free, minFree }, 'Enough free space again')
    }
  }
}

/**
 * Returns a sentence for the person who starts the server if every upload is refused for lack of
 * space; otherwise null.
 */
export function lowSpaceText({ free, size, minFree }: DiskFigures): string | null {
  if (free > minFree) return null
  const rule = `${formatSizeLimit(minFree)} must stay free on the disk of DATA_DIR`
  const more = 'The checks in the Admin Center say what to do.'
  if (minFree >= size) {
    return `All uploads are refused: ${rule}, and the whole disk has ${formatSize(size)}. Set MIN_FREE_SPACE to less, or enlarge the disk. ${more}`
  }
  return `All uploads are refused for now: ${rule}, and only ${formatSize(free)} are. ${more}`
}

export interface FreeSpace {
  /** The bytes that a program without root's rights may write, as `df` counts "available". */
  free: number
  /** The bytes of the whole file system. */
  size: number
}

/** Reads the free space of the file system that holds a folder. */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Returns the default of `MIN_FREE_SPACE` in bytes: the larger of 2 % of the disk and 512 MiB. */
export function defaultMinFree(size: number): number {
  return Math.max(512 * mebibyte, Math.floor(size * 0.02))
}

/** The error codes of a full disk or quota, from the file system or from Postgres. */
const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100'])

/** Tells whether an error, or one of its causes, comes from a full disk or quota. */
export function isDiskFull(error: unknown): boolean {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if ('code' in fault && fullCodes.has(fault.code)) return true
  }
  return false
}
