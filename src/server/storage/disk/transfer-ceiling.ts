import { AppError } from '../../errors.ts'
import { addressBlock } from '../../http/address-block.ts'
import type { Ceiling } from './transfer-limits.ts'

/** How many transfers are running now: of all clients, and of one. */
interface Running {
  all: number
  /** The transfers of the client that asks for one more. */
  ofClient: number
}

/**
 * Tells whether one more transfer may begin. While there is room, a client always gets `always`
 * transfers, and may have up to half as many as are still free. So a single client can reach a
 * third of all, which suffices for many people behind one address. A few clients with many
 * transfers always leave room for others.
 */
export function mayBegin({ total, always }: Ceiling, { all, ofClient }: Running): boolean {
  const free = total - all
  return free > 0 && ofClient < Math.max(always, Math.floor(free / 2))
}

/** Counts running transfers, in all and for each client. */
export class TransferCeiling {
  readonly #ceiling: Ceiling
  readonly #byClient = new Map<string, number>()
  #all = 0

  constructor(ceiling: Ceiling) {
    this.#ceiling = ceiling
  }

  /** How many transfers are running. */
  get running(): number {
    return this.#all
  }

  /**
   * Begins a transfer for the client at an address. An IPv6 address counts as its /64 block.
   * @returns a function that ends the transfer.
   * @throws {AppError} TOO_MANY_TRANSFERS with `Retry-After`.
   */
  begin(address: string): () => void {
    const client = addressBlock(address)
    const ofClient = this.#byClient.get(client) ?? 0
    if (!mayBegin(this.#ceiling, { all: this.#all, ofClient })) {
      throw new AppError('TOO_MANY_TRANSFERS')
    }
    this.#all += 1
    this.#byClient.set(client, ofClient + 1)
    return () => {
      this.#all -= 1
      const left = (this.#byClient.get(client) ?? 1) - 1
      if (left > 0) this.#byClient.set(client, left)
      else this.#byClient.delete(client)
    }
  }
}
