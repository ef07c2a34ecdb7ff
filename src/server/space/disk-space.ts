import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { mebibyte } from '../../shared/rules/format/units.ts'
import { isDiskFull } from './disk-full.ts'
import { defaultMinFree, type FreeSpace, readFreeSpace } from './free-space.ts'
import { breathingSpace, keptForStart, SpaceReserve } from './space-reserve.ts'

/**
 * How often the free space is read. Other programs can use it up at any time, and a read costs
 * microseconds.
 */
const lookEveryMs = 500
/**
 * The reserve is a file that shrinks when less than `breathingSpace` is free, so that Postgres can
 * go on. It is filled again only if `breathingSpace` and this margin stay free after that.
 * Otherwise the server would fill and shrink it again and again.
 */
const margin = 4 * mebibyte

export interface DiskSpaceOptions {
  /** A folder on the file system whose free space is read. */
  folder: string
  /** Uploads leave this many bytes free. null: the larger of 2 % of the disk and 512 MiB. */
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
  floor: number
  /** The operator's part in it: `MIN_FREE_SPACE` or its default. */
  minFree: number
}

/** What uploads call before they take space. */
export interface UploadSpace {
  /**
   * Returns how many bytes uploads may take now. It is negative when less space is free than
   * uploads must leave.
   */
  room(): number
  /**
   * Reads the free space again. When this resolves, all space that was freed before the call is
   * counted.
   */
  look(): Promise<void>
  /** Notes that uploads take `bytes` bytes, which the last read still counted as free. */
  take(bytes: number): void
}

/**
 * The free space of one file system (decision 026). Uploads must leave a part of it free. An
 * embedded database also has a reserve, which is freed when the disk is full, so that the database
 * can go on.
 */
export class DiskSpace implements UploadSpace {
  readonly #folder: string
  readonly #minFree: number | null
  readonly #takesUploads: boolean
  readonly #log: DiskSpaceOptions['log']
  readonly #reserve: SpaceReserve | null
  readonly #closing = new AbortController()
  #watching: Promise<void> | undefined
  #looking: Promise<void> | undefined
  #nextLook: Promise<void> | undefined
  /** The administrator's setting: uploads are refused when fewer bytes would stay free. */
  #leastFree = 0
  #free = 0
  #size = 0
  /** The bytes that uploads took since the last read of the free space began. */
  #taken = 0
  #isShort = false
  #isOut = false

  private constructor(options: DiskSpaceOptions, reserve: SpaceReserve | null) {
    const { folder, minFree, takesUploads, log } = options
    this.#folder = folder
    this.#takesUploads = takesUploads
    this.#minFree = minFree
    this.#log = log
    this.#reserve = reserve
  }

  /**
   * Reads the free space before the database starts, and frees as much of the reserve as the
   * database needs.
   */
  static async open(options: DiskSpaceOptions): Promise<DiskSpace> {
    const reserve = options.keepsReserve ? await SpaceReserve.open(options.folder) : null
    const space = new DiskSpace(options, reserve)
    await space.look()
    await space.#giveUpReserve(0)
    return space
  }

  /** Reads the free space regularly from now on, and fills the reserve while there is room. */
  watch(): void {
    this.#watching ??= this.#lookOn()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#watching
  }

  room(): number {
    return this.#free - this.#taken - this.#floor()
  }

  /** Returns the free space of the file system at the last read, in bytes. */
  freeBytes(): number {
    return this.#free
  }

  /** Reads the free space again, and returns what a person should know about it. */
  async figures(): Promise<DiskFigures> {
    await this.look()
    const minFree = this.#leastByOperator()
    return { free: this.#free, size: this.#size, floor: this.#floor(), minFree }
  }

  take(bytes: number): void {
    this.#taken += bytes
  }

  /** Sets how many bytes uploads must leave free, as the administrator has chosen. */
  leaveFree(bytes: number): void {
    this.#leastFree = bytes
  }

  /**
   * Returns how many bytes uploads must leave free on the disk. This is the largest of three
   * numbers: the operator's minimum, the administrator's setting, and what the database needs.
   */
  #floor(): number {
    return Math.max(this.#leastByOperator(), this.#leastFree, this.#neededByDatabase())
  }

  #leastByOperator(): number {
    return this.#minFree ?? defaultMinFree(this.#size)
  }

  #neededByDatabase(): number {
    if (!this.#reserve) return 0
    return breathingSpace + margin + this.#reserve.missing
  }

  async #lookOn(): Promise<void> {
    let fault: unknown
    while (!this.#closing.signal.aborted) {
      try {
        await this.look()
        await this.#giveUpReserve(keptForStart)
        await this.#takeReserve()
        this.#tell()
        fault = undefined
      } catch (error) {
        if (fault === undefined) this.#log.error({ err: error }, 'The free space cannot be watched')
        fault = error
      }
      const { signal } = this.#closing
      await wait(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /**
   * Callers during a running read share the next read, which sees everything that they have freed
   * before.
   */
  look(): Promise<void> {
    this.#nextLook ??= this.#lookNext()
    return this.#nextLook
  }

  async #lookNext(): Promise<void> {
    await this.#looking?.catch(() => undefined)
    this.#looking = this.#nextLook
    this.#nextLook = undefined
    await this.#lookNow()
  }

  async #lookNow(): Promise<void> {
    // The read may or may not include bytes that are taken while it runs. They stay subtracted
    // until the next read.
    const before = this.#taken
    const { free, size } = await readFreeSpace(this.#folder)
    this.#free = free
    this.#size = size
    this.#taken -= before
  }

  async #giveUpReserve(keep: number): Promise<void> {
    if (!this.#reserve || this.#free >= breathingSpace) return
    const given = await this.#reserve.give(breathingSpace + margin - this.#free, keep)
    if (given > 0) {
      const bytes = { given, free: this.#free, left: this.#reserve.held }
      this.#log.warn(bytes, 'The disk is full: a part of the reserve was given up. Free some space')
      await this.look()
    } else if (!this.#isOut && this.#reserve.held <= keep) {
      this.#isOut = true
      const bytes = { free: this.#free }
      this.#log.error(
        bytes,
        'The disk is full, and nothing is left to give up. Free some space now',
      )
    }
  }

  async #takeReserve(): Promise<void> {
    if (!this.#reserve || this.#reserve.missing === 0) return
    if (this.#free - this.#reserve.missing < breathingSpace + margin) return
    try {
      await this.#reserve.fill(this.#closing.signal)
      this.#isOut = false
    } catch (error) {
      // Other programs have used the space meanwhile. The next read shows it.
      if (!isDiskFull(error)) throw error
    }
    await this.look()
  }

  /**
   * Logs a warning when the free space has fallen to its floor, and a line when it is well above
   * the floor again. Between the two it logs nothing.
   */
  #tell(): void {
    const floor = this.#floor()
    const bytes = { free: this.#free, floor }
    if (!this.#isShort && this.#free <= floor) {
      this.#isShort = true
      this.#log.warn({ ...bytes, size: this.#size }, this.#shortText(floor))
    } else if (this.#isShort && this.#free >= floor + Math.max(margin, floor / 20)) {
      this.#isShort = false
      this.#log.info(bytes, 'Enough free space again')
    }
  }

  #shortText(floor: number): string {
    const effect = this.#takesUploads ? 'uploads are refused' : 'the database may need it soon'
    if (floor < this.#size) {
      return `Too little free space: ${effect}. Free some, or set MIN_FREE_SPACE`
    }
    // No removal of files could help.
    const wish = 'more must stay free than the whole disk has'
    return `Too little free space: ${effect}, since ${wish}. Set MIN_FREE_SPACE, or "Minimum free space" in the Admin Center, to less than the disk, or enlarge the disk`
  }
}
