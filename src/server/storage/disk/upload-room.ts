import { slotHeldMs } from '../../../shared/rules/files/kept-times.ts'
import { mebibyte } from '../../../shared/rules/format/units.ts'
import type { Clock } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { UploadSpace } from '../../space/disk-space.ts'

/**
 * An account may always be promised this much beside its largest upload. A browser needs less: in a
 * large drop, 48 files of at most 8 MiB are under way at the same time.
 */
const besideLargestBytes = 512 * mebibyte

interface Promised {
  /** The bytes that are still to arrive. */
  bytes: number
  /** When the upload's last byte arrived, or when its room was promised. */
  activeAt: number
  /**
   * The account that uploads. It is undefined for an upload that was started before this process
   * was, until `promise` is called with the owner.
   */
  owner: string | undefined
}

/**
 * Divides the free space among uploads, except the minimum that must stay free. An upload is
 * promised its room when it starts. Otherwise a hundred uploads that start together would all count
 * on the same space. Beside its largest upload, an account is promised at most half of the room. So
 * none can take it all without sending a byte. A promise ends when its bytes have arrived, when its
 * upload ends, or 15 minutes after the last byte. A restart ends all promises, and an upload that
 * goes on asks for a new one.
 */
export class UploadRoom {
  readonly #space: UploadSpace
  readonly #clock: Clock
  /** The promises by key; the upload that was active last comes last. */
  readonly #promises = new Map<string, Promised>()
  #promised = 0

  constructor(space: UploadSpace, clock: Clock) {
    this.#space = space
    this.#clock = clock
  }

  /**
   * Promises room for `bytes` that will still arrive under a key, in place of the key's earlier
   * promise. If the disk has too little free space, even after it was read again, returns false and
   * changes nothing.
   * @param owner whose upload it is. Without it, the one of the earlier promise. All uploads whose
   * owner is not known count as those of one account.
   * @throws {AppError} UPLOADS_UNFINISHED when the account is promised too much already.
   */
  async promise(key: string, bytes: number, owner?: string): Promise<boolean> {
    if (this.#promise(key, bytes, owner)) return true
    await this.#space.look()
    if (this.#promise(key, bytes, owner)) return true
    if (owner !== undefined && !this.#isFair(key, bytes, owner)) {
      throw new AppError('UPLOADS_UNFINISHED')
    }
    return false
  }

  #promise(key: string, bytes: number, givenOwner: string | undefined): boolean {
    this.#dropLapsed()
    const earlier = this.#promises.get(key)
    const before = earlier?.bytes ?? 0
    const owner = givenOwner ?? earlier?.owner
    // Room that was promised before is promised again while there is any free space above the
    // minimum, even if more was promised to all uploads than there is.
    const hasRoom = bytes <= before ? this.#space.room() > 0 : this.#leftBeside(key) >= bytes
    const fits = hasRoom && this.#isFair(key, bytes, owner)
    if (fits) this.#set(key, bytes, owner)
    return fits
  }

  /** Returns the room that is promised to no other upload. */
  #leftBeside(key: string): number {
    return this.#space.room() - this.#promised + (this.#promises.get(key)?.bytes ?? 0)
  }

  /**
   * Tells whether an owner may be promised so much. All uploads of the owner, but for the largest,
   * may have `besideLargestBytes` together, or as much as would then be left for others. What a key
   * was promised before may be promised to it again.
   */
  #isFair(key: string, bytes: number, owner: string | undefined): boolean {
    if (bytes <= (this.#promises.get(key)?.bytes ?? 0)) return true
    const most = Math.max(besideLargestBytes, this.#leftBeside(key) - bytes)
    // Mostly all promises together are within it, and nobody's need to be counted.
    if (this.#promised + bytes <= most) return true
    let [sum, largest] = [bytes, bytes]
    for (const [other, promised] of this.#promises) {
      if (other === key || promised.owner !== owner) continue
      sum += promised.bytes
      largest = Math.max(largest, promised.bytes)
    }
    return sum - largest <= most
  }

  /** Reads the free space again, and returns how many bytes can be promised to a new upload. */
  async left(): Promise<number> {
    await this.#space.look()
    this.#dropLapsed()
    return Math.max(0, this.#space.room() - this.#promised)
  }

  /** Promises the same room to a key again, or `bytes` to a key that has no promise. */
  renew(key: string, bytes: number): Promise<boolean> {
    this.#dropLapsed()
    return this.promise(key, this.#promises.get(key)?.bytes ?? bytes)
  }

  /** Takes room for bytes that arrive. Returns false when too little space is free. */
  take(key: string, bytes: number): boolean {
    if (this.#space.room() < bytes) return false
    this.#space.take(bytes)
    const promised = this.#promises.get(key)
    if (promised) this.#set(key, Math.max(0, promised.bytes - bytes), promised.owner)
    return true
  }

  /** Gives up the room that was promised for a key. */
  forget(key: string): void {
    this.#promised -= this.#promises.get(key)?.bytes ?? 0
    this.#promises.delete(key)
  }

  #set(key: string, bytes: number, owner: string | undefined): void {
    this.forget(key)
    if (bytes === 0) return
    this.#promises.set(key, { bytes, activeAt: this.#clock().getTime(), owner })
    this.#promised += bytes
  }

  #dropLapsed(): void {
    const since = this.#clock().getTime() - slotHeldMs
    for (const [key, { activeAt }] of this.#promises) {
      if (activeAt > since) return
      this.forget(key)
    }
  }
}
