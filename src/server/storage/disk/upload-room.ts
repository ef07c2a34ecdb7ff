import type { Clock } from '../../deps.ts'
import type { UploadSpace } from '../../space/disk-space.ts'

/** Design §6: an abandoned upload blocks others for at most 15 minutes. */
const promiseLifetimeMs = 15 * 60 * 1000

interface Promised {
  /** The bytes that are still to arrive. */
  bytes: number
  /** When the last byte arrived, or the room was promised. */
  activeAt: number
}

/**
 * Shares out the space above the floor among uploads. An upload is promised its room when it
 * starts, so that a hundred starts at once do not all count the same free space. A promise ends
 * when its bytes have arrived, with its upload, or 15 minutes after the last byte. A restart ends
 * all promises, and an upload that goes on asks for a new one.
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
   * Promises room for `bytes` that are still to arrive under a key, and replaces the key's earlier
   * promise. Returns false, and changes nothing, when even a fresh read of the disk shows that the
   * floor would be passed.
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
    // Room that was promised before is promised again, even if others were promised more than there
    // is. The floor must not be reached.
    const fits = bytes <= before ? this.#space.room() > 0 : this.#space.room() - others >= bytes
    if (fits) this.#set(key, bytes)
    return fits
  }

  /** Renews the promise of a key, or promises `bytes` to a key that has none. */
  renew(key: string, bytes: number): Promise<boolean> {
    this.#dropLapsed()
    return this.promise(key, this.#promises.get(key)?.bytes ?? bytes)
  }

  /** Takes room for bytes that arrive. Returns false when there is no room above the floor. */
  take(key: string, bytes: number): boolean {
    if (this.#space.room() < bytes) return false
    this.#space.take(bytes)
    const left = this.#promises.get(key)?.bytes
    if (left !== undefined) this.#set(key, Math.max(0, left - bytes))
    return true
  }

  /** Ends the promise of a key. */
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
