import type { ErrorCode } from '../../../shared/contract/errors.ts'
import { AppError } from '../../errors.ts'

/**
 * The sole right to change the bytes under one key, or those of one part. It lasts until `release`.
 */
export interface WriteLock {
  /**
   * Aborts when another request wants to change the same bytes. Its reason is the `AppError` to
   * answer with.
   */
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
 * Lets only one request at a time write, seal or remove the bytes of a key. Different parts of a
 * key may be written in parallel. A new request asks earlier ones for the same bytes to stop, and
 * waits for them. So the newest request wins, and never finds a half-finished write.
 */
export class WriteLocks {
  readonly #holders = new Map<string, Set<Holder>>()

  /**
   * Asks the requests that have a lock on these bytes to stop. They answer with the error of this
   * code. Resolves when all of them have released the bytes. Without `part`, all bytes of the key
   * are locked.
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

  /** Tells whether any request has a lock on the key or a part of it, or waits for one. */
  isHeld(key: string): boolean {
    return this.#holders.has(key)
  }

  /** Asks every request that has a lock to stop. */
  stopAll(refusal: AppError): void {
    for (const holders of this.#holders.values()) {
      for (const { abort } of holders) abort.abort(refusal)
    }
  }
}
