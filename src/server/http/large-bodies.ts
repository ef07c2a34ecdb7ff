import { AppError } from '../errors.ts'
import { type Ceiling, FairCeiling } from './fair-ceiling.ts'

/**
 * How many calls may have a large body at the same time. Together they take 16 MiB while they
 * arrive, and several times as much when they are parsed.
 */
const largeBodies: Ceiling = { total: 32, always: 4 }

/** Bounds the memory of large bodies: of all calls together, and of each client. */
export class LargeBodies {
  readonly #ceiling = new FairCeiling(largeBodies)
  readonly #usual: number

  /** @param usual a body of up to so many bytes is not large. */
  constructor(usual: number) {
    this.#usual = usual
  }

  /**
   * Does the work of a call, which reads its body. A body of unknown length counts as large. Until
   * the work is done, what was parsed of the body is in memory too.
   * @throws {AppError} SERVER_BUSY, before anything of the body is read, when this client or all
   * clients together have too many large bodies.
   */
  async hold<Result>(
    headers: { 'content-length'?: string | undefined; 'transfer-encoding'?: string | undefined },
    address: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const isChunked = headers['transfer-encoding'] !== undefined
    if (!isChunked && Number(headers['content-length'] ?? 0) <= this.#usual) return work()
    const giveBack = this.#ceiling.take(address)
    if (!giveBack) throw new AppError('SERVER_BUSY')
    try {
      return await work()
    } finally {
      giveBack()
    }
  }
}
