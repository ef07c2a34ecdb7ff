import { AppError } from '../errors.ts'
import { type Ceiling, FairCeiling } from './fair-ceiling.ts'

/**
 * How many bytes the large bodies of all calls may have at the same time. Parsed, they take several
 * times as much memory.
 */
const largeBodies: Ceiling = { total: 16 * 1024 * 1024, always: 2 * 1024 * 1024 }

/** A body with more bytes is large. A login or a signup has less than 1 KiB. */
const mostOfSmall = 4 * 1024

/** Bounds the memory of large bodies: of all calls together, and of each client. */
export class LargeBodies {
  readonly #ceiling = new FairCeiling(largeBodies)

  /**
   * Does the work of a call, which reads its body. Until the work is done, what was parsed of the
   * body is in memory too.
   * @param bytes how many the body may have at most.
   * @throws {AppError} SERVER_BUSY, before anything of the body is read, when the large bodies of
   * this client or of all clients together have too many bytes.
   */
  async hold<Result>(bytes: number, address: string, work: () => Promise<Result>): Promise<Result> {
    if (bytes <= mostOfSmall) return work()
    const giveBack = this.#ceiling.take(address, bytes)
    if (!giveBack) throw new AppError('SERVER_BUSY')
    try {
      return await work()
    } finally {
      giveBack()
    }
  }
}
