import type { ErrorCode } from '../../../shared/contract/errors.ts'
import { AppError } from '../../errors.ts'

/** The sole right to change the bytes under one key, or of one part of them, held until `release`. */
export interface WriteLock {
  /** Aborts, with a `AppError` as its reason, when somebody else wants those bytes. */
  readonly signal: AbortSignal
  release(): void
}

interface Holder {
  /** Undefined: all bytes of the key. */
  part: number | undefined
  abort: AbortController
  left: Promise<void>
}

/**
 * Lets one at a time write to, seal or remove a key; parts of it go side by side, one at a time each.
 * Whoever comes next asks those in the way to stop and waits until they have left, so the newest
 * always wins and never meets half a write.
 */
export class WriteLocks {
  readonly #holders = new Map<string, Set<Holder>>()

  /**
   * Resolves when all earlier holders of these bytes have left; each of them was stopped with
   * this error. Without a part it takes the whole key.
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

  /** Whether somebody holds the key or a part of it, or waits for that. */
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
