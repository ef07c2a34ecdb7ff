import { statfs } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { formatSize, formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { mebibyte } from '../../shared/rules/format/units.ts'
import { breathingSpace, SpaceReserve, startupReserveBytes } from './space-reserve.ts'

/**
 * How often the free space is measured. The interval is short because other programs can fill the
 * disk at any time, and `statfs` takes only microseconds.
 */
const readIntervalMs = 500
/** Hysteresis that prevents the reserve from alternately growing and shrinking. */
const margin = 4 * mebibyte

export interface DiskSpaceOptions {
  /** A folder on the file system to measure. It also contains the reserve for the database. */
  folder: string
  /** The setting `MIN_FREE_SPACE`. Null means its default. */
  minFree: number | null
  /** True if uploads are stored on this disk instead of in a bucket. */
  storesUploads: boolean
  /**
   * True if the embedded Postgres is on this disk and needs a reserve: a file that shrinks when the
   * disk is full, so that Postgres can continue.
   */
  hasReserve: boolean
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** A disk's free space and the minimum that uploads must leave free. */
export interface DiskSpaceStatus extends FreeSpace {
  /** The bytes that uploads must leave free. */
  minFree: number
  /** `MIN_FREE_SPACE` or its default. The administrator or the database may need more. */
  operatorMinFree: number
}

/** The space available to uploads. */
export interface UploadSpace {
  /** True if uploads may use `bytes` more. */
  hasSpaceFor(bytes: number): Promise<boolean>
  /** Reserves space for bytes about to be written. Returns false if there is too little. */
  reserveSpace(bytes: number): boolean
}

/**
 * Manages the free space of one file system, part of which uploads must leave free (decision 026).
 * Frees a reserve for the embedded database when the disk is full.
 */
export class DiskSpace implements UploadSpace {
  readonly #options: DiskSpaceOptions
  readonly #reserve: SpaceReserve | null
  readonly #closing = new AbortController()
  #watching: Promise<void> | undefined
  #adminMinFree = 0
  #free = 0
  #size = 0
  /**
   * Bytes reserved by uploads: the current number, and the number when the free space was last
   * measured.
   */
  #reservedBytes = 0
  #reservedAtRead = 0
  #isShort = false
  #isReserveExhausted = false

  private constructor(options: DiskSpaceOptions, reserve: SpaceReserve | null) {
    this.#options = options
    this.#reserve = reserve
  }

  /** Measures the free space, and frees as much of the reserve as the database needs to start. */
  static async open(options: DiskSpaceOptions): Promise<DiskSpace> {
    const reserve = options.hasReserve ? await SpaceReserve.open(options.folder) : null
    const space = new DiskSpace(options, reserve)
    await space.#read()
    await space.#shrinkReserve(0)
    return space
  }

  /** Starts measuring the free space regularly, and grows or shrinks the reserve to match. */
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

  reserveSpace(bytes: number): boolean {
    if (this.availableBytes() < bytes) return false
    this.#reservedBytes += bytes
    return true
  }

  /** Returns how many bytes are available to uploads. Negative if less than the minimum is free. */
  availableBytes(): number {
    return this.#free - (this.#reservedBytes - this.#reservedAtRead) - this.#minFree()
  }

  /** Returns the free space in bytes, as last measured. */
  freeBytes(): number {
    return this.#free
  }

  /** Measures the free space again and returns the figures for display. */
  async readStatus(): Promise<DiskSpaceStatus> {
    await this.#read()
    const operatorMinFree = this.#operatorMinFree()
    return { free: this.#free, size: this.#size, minFree: this.#minFree(), operatorMinFree }
  }

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
    return breathingSpace + margin + this.#reserve.missingBytes
  }

  async #watch(): Promise<void> {
    let lastError: unknown
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await this.#read()
        await this.#shrinkReserve(startupReserveBytes)
        await this.#fillReserve()
        this.#logShortage()
        lastError = undefined
      } catch (error) {
        if (lastError === undefined) {
          this.#options.log.error({ err: error }, 'Cannot read the free space')
        }
        lastError = error
      }
      await wait(readIntervalMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #read(): Promise<void> {
    // Free space may not reflect bytes written while it was being measured, so bytes reserved in
    // the meantime still count as used.
    const reservedBytes = this.#reservedBytes
    const { free, size } = await readFreeSpace(this.#options.folder)
    this.#free = free
    this.#size = size
    this.#reservedAtRead = reservedBytes
  }

  async #shrinkReserve(minSize: number): Promise<void> {
    if (!this.#reserve || this.#free >= breathingSpace) return
    const { log } = this.#options
    const freedBytes = await this.#reserve.shrink(breathingSpace + margin - this.#free, minSize)
    if (freedBytes > 0) {
      const bytes = { freed: freedBytes, free: this.#free, left: this.#reserve.size }
      log.warn(bytes, 'Disk full: freed a part of the reserve. Free some space')
      await this.#read()
    } else if (!this.#isReserveExhausted && this.#reserve.size <= minSize) {
      this.#isReserveExhausted = true
      log.error({ free: this.#free }, 'Disk full: no reserve left to free. Free some space now')
    }
  }

  async #fillReserve(): Promise<void> {
    if (!this.#reserve || this.#reserve.missingBytes === 0) return
    if (this.#free - this.#reserve.missingBytes < breathingSpace + margin) return
    try {
      await this.#reserve.fill(this.#closing.signal)
      this.#isReserveExhausted = false
    } catch (error) {
      // Other programs have used the space in the meantime. The next measurement will show that.
      if (!isDiskFull(error)) throw error
    }
    await this.#read()
  }

  /**
   * Logs once when the free space falls to the minimum, and once when it has clearly risen above it
   * again.
   */
  #logShortage(): void {
    const { log, storesUploads } = this.#options
    const [free, size, minFree] = [this.#free, this.#size, this.#minFree()]
    if (!this.#isShort && free <= minFree) {
      this.#isShort = true
      const effectText = storesUploads ? 'uploads are refused' : 'the database may need it soon'
      const remedy =
        minFree < size
          ? 'Free some, or set MIN_FREE_SPACE'
          : 'The whole disk is smaller than the minimum. Set MIN_FREE_SPACE, or "Minimum free space" in the Admin Center, to less than the disk, or enlarge the disk'
      log.warn({ free, minFree, size }, `Too little free space: ${effectText}. ${remedy}`)
    } else if (this.#isShort && free >= minFree + Math.max(margin, minFree / 20)) {
      this.#isShort = false
      log.info({ free, minFree }, 'Enough free space again')
    }
  }
}

/**
 * Returns a message for startup if all uploads are being rejected for lack of space, otherwise
 * null.
 */
export function lowSpaceText({ free, size, minFree }: DiskSpaceStatus): string | null {
  if (free > minFree) return null
  const ruleText = `${formatSizeLimit(minFree)} must stay free on the disk of DATA_DIR`
  const hint = 'The checks in the Admin Center say what to do.'
  if (minFree >= size) {
    return `All uploads are refused: ${ruleText}, and the whole disk has ${formatSize(size)}. Set MIN_FREE_SPACE to less, or enlarge the disk. ${hint}`
  }
  return `All uploads are refused for now: ${ruleText}, and only ${formatSize(free)} are. ${hint}`
}

export interface FreeSpace {
  /** The bytes that unprivileged programs may write, shown by `df` as "available". */
  free: number
  /** The size of the file system in bytes. */
  size: number
}

/** Reads the free space of a folder's file system. */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Returns the default of `MIN_FREE_SPACE`: 2% of the disk, but at least 512 MiB. */
export function defaultMinFree(size: number): number {
  return Math.max(512 * mebibyte, Math.floor(size * 0.02))
}

/** Error codes for a full disk or an exceeded quota, from the file system or Postgres. */
const diskFullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100'])

/** True if an error, or one of its causes, comes from a full disk or an exceeded quota. */
export function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && diskFullCodes.has(cause.code)) return true
  }
  return false
}
