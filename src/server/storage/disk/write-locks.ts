import type { ErrorCode } from '../../../shared/contract/errors.ts'
import { AppError } from '../../errors.ts'

/**
 * The sole right to change the bytes under one key, or those of one part. It is held until
 * `release`.
 */
export interface WriteLock {
  /** Aborts when another request wants the same bytes. Its reason is an `AppError`. */
  readonly signal: AbortSignal
  release(): void
}

interface Holder {
  /** The number of the part; undefined for all bytes of the key. */
  part: number | undefined
  abort: AbortController
  left: Promise<void>
}

/**
 * Lets one request at a time write to, seal or remove a key. Different parts of a key may be
 * written at the same time. A new request asks earlier holders of the same bytes to stop and waits
 * for them. So the newest request wins and never finds a half-finished write.
 */
export class WriteLocks {
  readonly #holders = new Map<string, Set<Holder>>()

  /**
   * Resolves when all earlier holders of these bytes have left. Each of them was stopped with the
   * error of this code. Without a part, the whole key is locked.
   */
  async acquire(key: string, code: ErrorCode, part?: number): Promise<WriteLock> {
    const holders = this.#holders.get(key) ?? new Set()
    const inTheWay = [...holders].filter(
      (holder) => part === undefined || holder.part === undefined || holder.part === part,
    )
    const abort = new AbortController()
    const { promise: left, resolve } = Promise.withResolvers<void>()
    const holder = { part, abort, left }
    this.#holders.set(key, holders.add(holder))
    for (const earlier of inTheWay) earlier.abort.abort(new AppError(code))
    await Promise.all(inTheWay.map((earlier) => earlier.left))
    return {
      signal: abort.signal,
      release: () => {
        holders.delete(holder)
        if (holders.size === 0) this.#holders.delete(key)
        resolve()
      },
    }
  }

  /** Whether any request holds the key or a part of it, or waits for it. */
  isHeld(key: string): boolean {
    return this.#holders.has(key)
  }

  /** Asks every holder to stop. */
  stopAll(refusal: AppError): void {
    for (const holders of this.#holders.values()) {
      for (const { abort } of holders) abort.abort(refusal)
    }
  }
}
