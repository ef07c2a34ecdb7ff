import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDiskFull } from './disk-full.ts'
import { defaultMinFree, mebibyte, readFreeSpace } from './free-space.ts'
import { breathingSpace, keptForStart, SpaceReserve } from './space-reserve.ts'

/** Bytes can be eaten by others at any time; a look costs microseconds. */
const lookEveryMs = 500
/** Between giving up and taking again, so that it does not go to and fro. */
const margin = 4 * mebibyte

export interface DiskSpaceOptions {
  /** The folder whose file system is watched. */
  folder: string
  /** Bytes that uploads leave free; null: the larger of 2 % of the disk and 512 MiB. */
  minFree: number | null
  /** Whether uploads go there, and not to a bucket. */
  takesUploads: boolean
  /** Whether an embedded Postgres lives there, for which a reserve is kept. */
  holdsDatabase: boolean
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** What uploads ask before they take space. */
export interface UploadSpace {
  /** Bytes that uploads may take at this moment; negative where the floor is passed already. */
  room(): number
  /** Looks at the disk anew: what was freed by now is known when this resolves. */
  look(): Promise<void>
  /** Tells that uploads take so many bytes, which the next look will not find free. */
  take(bytes: number): void
}

/**
 * The free space of one file system (decision 026): what is above the floor is for uploads, and when
 * nothing is left the reserve is given up, so that the database goes on.
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
  #free = 0
  #size = 0
  /** Bytes that uploads took since the last look began. */
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

  /** Looks once, before the database starts, and gives up what that needs of the reserve. */
  static async open(options: DiskSpaceOptions): Promise<DiskSpace> {
    const reserve = options.holdsDatabase ? await SpaceReserve.open(options.folder) : null
    const space = new DiskSpace(options, reserve)
    await space.look()
    await space.#giveUpReserve(0)
    return space
  }

  /** Looks again and again from now on, and makes the reserve whole while there is room for it. */
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

  take(bytes: number): void {
    this.#taken += bytes
  }

  /** The free space that uploads leave: what the operator wants, and what Postgres and its reserve need. */
  #floor(): number {
    const wanted = this.#minFree ?? defaultMinFree(this.#size)
    const needed = this.#reserve ? breathingSpace + margin + this.#reserve.missing : 0
    return Math.max(wanted, needed)
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

  /** Those who ask while one look is running share the next, which sees what they have done. */
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
    // What is taken from here on may or may not be in the answer, and counts until the next one.
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
      // Somebody else was faster; the next look knows it.
      if (!isDiskFull(error)) throw error
    }
    await this.look()
  }

  /** Tells once that the floor is reached, and once that it is over by a clear margin. */
  #tell(): void {
    const floor = this.#floor()
    const bytes = { free: this.#free, floor }
    if (!this.#isShort && this.#free <= floor) {
      this.#isShort = true
      const effect = this.#takesUploads ? 'uploads are refused' : 'the database may need it soon'
      this.#log.warn(bytes, `Too little free space: ${effect}. Free some, or set MIN_FREE_SPACE`)
    } else if (this.#isShort && this.#free >= floor + Math.max(margin, floor / 20)) {
      this.#isShort = false
      this.#log.info(bytes, 'Enough free space again')
    }
  }
}
