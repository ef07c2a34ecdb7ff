import { addressBlock } from './client-address.ts'

/** How many things of a kind, such as connections or bytes, may be open at the same time. */
export interface Ceiling {
  /** At most this many for all clients together. */
  total: number
  /** Each client may have this many, as long as fewer than `total` are open. */
  always: number
}

/** How many are open now: of all clients, and of one. */
interface Open {
  all: number
  /** How many are open of the client that asks for more. */
  ofClient: number
}

/**
 * Tells whether a client may open so many more. As long as fewer than `total` are open, a client
 * may always have `always`. It may have more, up to half as many as are still free. So a single
 * client can reach a third of `total`, which suffices for many people behind one address. Even
 * several clients that take all they can leave room for others.
 */
export function mayBegin({ total, always }: Ceiling, { all, ofClient }: Open, more = 1): boolean {
  const free = total - all
  return more <= free && ofClient + more <= Math.max(always, Math.floor(free / 2))
}

/** Counts what is open, in all and for each client. */
export class FairCeiling {
  readonly #ceiling: Ceiling
  readonly #byClient = new Map<string, number>()
  #all = 0

  constructor(ceiling: Ceiling) {
    this.#ceiling = ceiling
  }

  /** How many are open. */
  get open(): number {
    return this.#all
  }

  /**
   * Counts one more for the client at an address, or so many more. An IPv6 address counts as its
   * /64 block.
   * @returns a function that undoes this, to be called once; null if the client may not have them.
   */
  take(address: string, more = 1): (() => void) | null {
    const client = addressBlock(address)
    const ofClient = this.#byClient.get(client) ?? 0
    if (!mayBegin(this.#ceiling, { all: this.#all, ofClient }, more)) return null
    this.#all += more
    this.#byClient.set(client, ofClient + more)
    return () => {
      this.#all -= more
      const left = (this.#byClient.get(client) ?? more) - more
      if (left > 0) this.#byClient.set(client, left)
      else this.#byClient.delete(client)
    }
  }
}
