import type { ErrorCode } from '../../../shared/contract/errors.ts'
import { AppError } from '../../errors.ts'

/** The sole right to change the bytes under a key, or those of one part, until `release`. */
export interface WriteLock {
  /** Aborts, with the `AppError` to answer with, when a newer request wants the same bytes. */
  readonly signal: AbortSignal
  release(): void
}

interface Holder {
  /** The number of the part; undefined for all bytes of the key. */
  part: number | undefined
  abort: AbortController
  released: Promise<void>
}

/**
 * Lets only one request at a time write, seal or remove the bytes of a key; different parts may be
 * written in parallel. A new request aborts earlier ones for the same bytes and waits for them. So
 * the newest request wins, and never finds a half-finished write.
 */
export class WriteLocks {
  readonly #holders = new Map<string, Set<Holder>>()

  /**
   * Locks the bytes of a key, or of one part. Requests that hold them abort, answer with the error
   * `code`, and have released them when this resolves. By then a newer request may have aborted
   * this one, so the caller checks `signal`.
   */
  async acquire(key: string, code: ErrorCode, part?: number): Promise<WriteLock> {
    const holders = this.#holders.get(key) ?? new Set()
    const conflicting = [...holders].filter(
      (holder) => part === undefined || holder.part === undefined || holder.part === part,
    )
    const abort = new AbortController()
    const { promise: released, resolve } = Promise.withResolvers<void>()
    const holder = { part, abort, released }
    this.#holders.set(key, holders.add(holder))
    for (const earlier of conflicting) earlier.abort.abort(new AppError(code))
    await Promise.all(conflicting.map((earlier) => earlier.released))
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

  /** Aborts every request that holds a lock. */
  stopAll(refusal: AppError): void {
    for (const holders of this.#holders.values()) {
      for (const { abort } of holders) abort.abort(refusal)
    }
  }
}
