import type { Clock } from '../../deps.ts'
import type { UploadSpace } from '../../space/disk-space.ts'

/** Design §6: what is abandoned keeps nobody out for more than 15 minutes. */
const promiseLifetimeMs = 15 * 60 * 1000

interface Promised {
  /** Bytes that are still to arrive. */
  bytes: number
  /** When the last of them arrived, or it was promised. */
  activeAt: number
}

/**
 * Who may write how much of the space above the floor. An upload is promised its room when it
 * starts, so that a hundred starts at once do not all find the same space free. A promise ends with
 * its bytes, with its upload, or 15 minutes after the last of them; after a restart there is none,
 * and an upload that goes on asks for one again.
 */
export class UploadRoom {
  readonly #space: UploadSpace
  readonly #clock: Clock
  /** By key; who was active last is last. */
  readonly #promises = new Map<string, Promised>()
  #promised = 0

  constructor(space: UploadSpace, clock: Clock) {
    this.#space = space
    this.#clock = clock
  }

  /**
   * Promises room for `bytes` that are still to arrive under a key, in place of what was promised to
   * it before. False, and nothing has changed, when the disk would be left with less than its floor,
   * also after another look at it.
   */
  async promise(key: string, bytes: number): Promise<boolean> {
    if (this.#promise(key, bytes)) return true
    await this.#space.look()
    return this.#promise(key, bytes)
  }

  #promise(key: string, bytes: number): boolean {
    this.#dropLapsed()
    const before = this.#promises.get(key)?.bytes ?? 0
    const others = this.#promised - before
    // What was promised holds against what others were promised, though not against the floor.
    const fits = bytes <= before ? this.#space.room() > 0 : this.#space.room() - others >= bytes
    if (fits) this.#set(key, bytes)
    return fits
  }

  /** Promises room to a key that has no promise, as `promise` does. */
  renew(key: string, bytes: number): Promise<boolean> {
    this.#dropLapsed()
    return this.promise(key, this.#promises.get(key)?.bytes ?? bytes)
  }

  /** Takes room for bytes that arrive. False when nothing above the floor is left for them. */
  take(key: string, bytes: number): boolean {
    if (this.#space.room() < bytes) return false
    this.#space.take(bytes)
    const left = this.#promises.get(key)?.bytes
    if (left !== undefined) this.#set(key, Math.max(0, left - bytes))
    return true
  }

  /** Ends what was promised to a key. */
  forget(key: string): void {
    this.#promised -= this.#promises.get(key)?.bytes ?? 0
    this.#promises.delete(key)
  }

  #set(key: string, bytes: number): void {
    this.forget(key)
    if (bytes === 0) return
    this.#promises.set(key, { bytes, activeAt: this.#clock().getTime() })
    this.#promised += bytes
  }

  #dropLapsed(): void {
    const since = this.#clock().getTime() - promiseLifetimeMs
    for (const [key, { activeAt }] of this.#promises) {
      if (activeAt > since) return
      this.forget(key)
    }
  }
}
