import { AppError } from '../../errors.ts'
import { addressBlock } from '../../http/address-block.ts'
import { type Ceiling, transferLimits } from './transfer-limits.ts'

/** How many transfers run now. */
interface Running {
  all: number
  /** Of the client that asks for one more. */
  ofClient: number
}

/**
 * Whether one more transfer may begin. A client gets `always`, and beyond that half of what is still
 * free: alone it comes to a third of all, which does for many people behind one address, and a few
 * greedy ones never leave the others without room.
 */
export function mayBegin({ total, always }: Ceiling, { all, ofClient }: Running): boolean {
  const free = total - all
  return free > 0 && ofClient < Math.max(always, Math.floor(free / 2))
}

/** Counts the transfers that run, in all and by client. */
export class TransferCeiling {
  readonly #ceiling: Ceiling
  readonly #byClient = new Map<string, number>()
  #all = 0

  constructor(ceiling: Ceiling) {
    this.#ceiling = ceiling
  }

  /** How many transfers run. */
  get running(): number {
    return this.#all
  }

  /**
   * Begins a transfer for the client at an address, an IPv6 address standing for its /64.
   * @returns what ends it.
   * @throws {AppError} TOO_MANY_TRANSFERS with `Retry-After`.
   */
  begin(address: string): () => void {
    const client = addressBlock(address)
    const ofClient = this.#byClient.get(client) ?? 0
    if (!mayBegin(this.#ceiling, { all: this.#all, ofClient })) {
      const headers = { 'Retry-After': String(transferLimits.retryAfter) }
      throw new AppError('TOO_MANY_TRANSFERS', { headers })
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
