import type { ErrorCode } from '../../../shared/contract/errors.ts'
import { AppError } from '../../errors.ts'
import type { ServerLocks } from './server-locks.ts'

/**
 * Every lock of this server is lost, so another server may already have the same. Who is stopped
 * with this error must not write even the bytes that it has already received.
 */
export class LocksLost extends AppError {
  constructor() {
    super('UNAVAILABLE')
  }
}

/**
 * The sole right to change the bytes under one key, or those of one part. It lasts until `release`.
 */
export interface WriteLock {
  /**
   * Aborts when another request wants to change the same bytes. Its reason is the `AppError` to
   * answer with.
   */
  readonly signal: AbortSignal
  /**
   * Checks that no other server can have got the same lock meanwhile. A request with `goesOn` may
   * still write after it was asked to stop. So it calls this before it does anything that cannot be
   * undone.
   * @throws {AppError} UNAVAILABLE when the lock is lost, or the database cannot be asked.
   */
  assertHeld(): Promise<void>
  release(): void
}

interface Holder {
  /** The number of the part; undefined for all bytes of the key. */
  part: number | undefined
  abort: AbortController
  left: Promise<void>
}

/** Which bytes of a key to lock, and how. */
export interface Wanted {
  /** The number of a part; undefined for all bytes of the key. */
  part?: number
  /**
   * Is called before requests on other servers are asked to stop. If it rejects, they are not
   * asked, and `acquire` rejects with its error.
   */
  beforeStopping?: () => Promise<void>
  /**
   * Whether the caller continues even if newer requests want the same bytes. Those requests then
   * wait for it.
   */
  goesOn?: boolean
}

/**
 * Lets only one request at a time write, seal or remove the bytes of a key. Different parts of a
 * key may be written in parallel. A new request asks earlier ones for the same bytes to stop, and
 * waits for them. So the newest request wins, and never finds a half-finished write. If several
 * servers share the folder, this holds for the requests of all of them.
 */
export class WriteLocks {
  readonly #holders = new Map<string, Set<Holder>>()
  readonly #others: ServerLocks | null

  /** @param others null where no other server uses the folder. */
  constructor(others: ServerLocks | null = null) {
    this.#others = others
  }

  /** Lets other servers ask the requests of this server to stop. */
  async open(): Promise<void> {
    await this.#others?.open({
      onStop: ({ key, part, code }) => {
        for (const { abort } of this.#inTheWay(key, part)) abort.abort(new AppError(code))
      },
      onLost: () => this.stopAll(new LocksLost()),
    })
  }

  /**
   * Locks bytes of a key. Requests that have a lock on the same bytes are asked to stop. They
   * answer with the error `code`. Resolves when all of them have released the bytes. By then a
   * newer request may have asked this one to stop, so the caller checks `signal`.
   * @throws only where other servers use the folder: the error with which a newer request stopped
   * this one, the error of `beforeStopping`, or {AppError} UNAVAILABLE when the other servers
   * cannot be asked or do not release the bytes in time.
   */
  async acquire(
    key: string,
    code: ErrorCode,
    { part, beforeStopping, goesOn }: Wanted = {},
  ): Promise<WriteLock> {
    const inTheWay = this.#inTheWay(key, part)
    const holders = this.#holders.get(key) ?? new Set()
    const abort = new AbortController()
    const { promise: left, resolve } = Promise.withResolvers<void>()
    const holder = { part, abort, left }
    this.#holders.set(key, holders.add(holder))
    const leave = () => {
      holders.delete(holder)
      if (holders.size === 0) this.#holders.delete(key)
      resolve()
    }
    for (const earlier of inTheWay) earlier.abort.abort(new AppError(code))
    await Promise.all(inTheWay.map((earlier) => earlier.left))
    const { signal } = abort
    try {
      const theirs = await this.#others?.take(
        { key, part, code },
        { signal: goesOn ? undefined : signal, beforeStopping },
      )
      return {
        signal,
        async assertHeld() {
          if (theirs && !(await theirs.isHeld())) throw new AppError('UNAVAILABLE')
        },
        release() {
          theirs?.release()
          leave()
        },
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Tells whether any request of this server has a lock on the key or a part, or waits for one. */
  isHeld(key: string): boolean {
    return this.#holders.has(key)
  }

  /** Asks every request of this server that has a lock to stop. */
  stopAll(refusal: AppError): void {
    for (const holders of this.#holders.values()) {
      for (const { abort } of holders) abort.abort(refusal)
    }
  }

  #inTheWay(key: string, part: number | undefined): Holder[] {
    return [...(this.#holders.get(key) ?? [])].filter(
      (holder) => part === undefined || holder.part === undefined || holder.part === part,
    )
  }
}
