import type { ErrorCode } from '../../../shared/contract/errors.ts'
import { AppError } from '../../errors.ts'

/** The exclusive right to change a key's bytes, or one part of them, until `release` is called. */
export interface WriteLock {
  /**
   * Aborts when a newer request wants the same bytes. The abort reason is the `AppError` to send to
   * the client.
   */
  readonly signal: AbortSignal
  release(): void
}

interface Holder {
  /** The part number, or undefined for the whole key. */
  part: number | undefined
  controller: AbortController
  released: Promise<void>
}

/**
 * Lets only one request at a time write, seal or remove a key's bytes. Different parts can be
 * written in parallel. A new request aborts earlier ones for the same bytes and waits for them to
 * end. So the newest request wins and never finds a partial write.
 */
export class WriteLocks {
  readonly #holders = new Map<string, Set<Holder>>()

  /**
   * Locks a key's bytes, or one part of them. Aborts conflicting requests with the error `code` and
   * waits until they have released their locks. By then a newer request may have aborted this one,
   * so the caller must check `signal`.
   */
  async acquire(key: string, code: ErrorCode, part?: number): Promise<WriteLock> {
    const holders = this.#holders.get(key) ?? new Set()
    const conflictingHolders = [...holders].filter(
      (holder) => part === undefined || holder.part === undefined || holder.part === part,
    )
    const controller = new AbortController()
    const { promise: released, resolve } = Promise.withResolvers<void>()
    const holder = { part, controller, released }
    this.#holders.set(key, holders.add(holder))
    for (const conflictingHolder of conflictingHolders)
      conflictingHolder.controller.abort(new AppError(code))
    await Promise.all(conflictingHolders.map((holder) => holder.released))
    return {
      signal: controller.signal,
      release: () => {
        holders.delete(holder)
        if (holders.size === 0) this.#holders.delete(key)
        resolve()
      },
    }
  }

  /** True if any request has locked the key or one of its parts, or is waiting to. */
  isLocked(key: string): boolean {
    return this.#holders.has(key)
  }

  abortAll(error: AppError): void {
    for (const holders of this.#holders.values()) {
      for (const { controller } of holders) controller.abort(error)
    }
  }
}
