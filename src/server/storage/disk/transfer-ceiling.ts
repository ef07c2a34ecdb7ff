import { AppError } from '../../errors.ts'
import { FairLimit, type SharedLimit } from '../../http/limits.ts'

/** Limits how many transfers run at the same time, in all and for each client. */
export class TransferCeiling {
  readonly #ceiling: FairLimit

  constructor(ceiling: SharedLimit) {
    this.#ceiling = new FairLimit(ceiling)
  }

  /** How many transfers are running. */
  get running(): number {
    return this.#ceiling.used
  }

  /**
   * Begins a transfer for the client at an address.
   * @returns a function that ends the transfer.
   * @throws {AppError} TOO_MANY_TRANSFERS with `Retry-After`.
   */
  begin(address: string): () => void {
    const end = this.#ceiling.take(address)
    if (!end) throw new AppError('TOO_MANY_TRANSFERS')
    return end
  }
}
