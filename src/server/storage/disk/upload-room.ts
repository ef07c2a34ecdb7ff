import { minuteInMs } from '../../../shared/rules/time-units.ts'
import type { Clock } from '../../deps.ts'
import type { UploadSpace } from '../../space/disk-space.ts'

/** Design §6: an abandoned upload blocks others for at most 15 minutes. */
const promiseLifetimeMs = 15 * minuteInMs

interface Promised {
  /** The bytes that are still to arrive. */
  bytes: number
  /** When the upload's last byte arrived, or when its room was promised. */
  activeAt: number
}

/**
 * Divides the free space among uploads, except the minimum that must stay free. An upload is
 * promised its room when it starts. Otherwise a hundred uploads that start together would all count
 * on the same space. A promise ends when its bytes have arrived, when its upload ends, or 15
 * minutes after the last byte. A restart ends all promises, and an upload that goes on asks for a
 * new one.
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
    // Room that was promised before is promised again while there is any free space above the
    // minimum, even if more was promised to all uploads than there is.
    const fits = bytes <= before ? this.#space.room() > 0 : this.#space.room() - others >= bytes
    if (fits) this.#set(key, bytes)
    return fits
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
    const left = this.#promises.get(key)?.bytes
    if (left !== undefined) this.#set(key, Math.max(0, left - bytes))
    return true
  }

  /** Gives up the room that was promised for a key. */
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
