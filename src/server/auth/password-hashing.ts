import { createHmac, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '../errors.ts'

export interface HashCost {
  N: number
  r: number
  p: number
}

/** At this cost, a hash takes 32 MiB of memory and about 50 ms. */
const defaultCost: HashCost = { N: 16_384, r: 16, p: 1 }
const keyBytes = 64

/**
 * Hashes run one at a time, so that a flood of logins leaves the other cores free for transfers.
 */
const concurrency = 1
const maxQueued = 256
const maxQueuedPerClient = 32

const deriveKey = promisify<string, string, number, HashCost & { maxmem: number }, Buffer>(scrypt)

/**
 * Hashes passwords with scrypt, as `salt:key` in hexadecimal. The bounded queue serves clients
 * round-robin, so one client's flood doesn't delay other logins.
 */
export class PasswordHashing {
  readonly #cost: HashCost
  /** Calls waiting to start, by client. Clients are served in insertion order. */
  readonly #queue = new Map<string, (() => void)[]>()
  #queued = 0
  #running = 0

  /** @param cost the cost of each hash. Tests use a lower one. */
  constructor(cost: HashCost = defaultCost) {
    this.#cost = cost
  }

  /**
   * Hashes a password.
   * @param client the client's IP address.
   * @throws {AppError} PASSWORDS_BUSY if the queue is full.
   */
  async hash(password: string, salt: string, client: string): Promise<string> {
    await this.#enter(client)
    try {
      // Node's default limit of 32 MiB is too low for this cost.
      const maxmem = 2 * 128 * this.#cost.N * this.#cost.r
      const options = { ...this.#cost, maxmem }
      const key = await deriveKey(password.normalize('NFKC'), salt, keyBytes, options)
      return `${salt}:${key.toString('hex')}`
    } finally {
      this.#leave()
    }
  }

  async #enter(client: string): Promise<void> {
    if (this.#running < concurrency) {
      this.#running += 1
      return
    }
    const clientQueue = this.#queue.get(client) ?? []
    if (this.#queued >= maxQueued || clientQueue.length >= maxQueuedPerClient) {
      throw new AppError('PASSWORDS_BUSY')
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#queue.set(client, [...clientQueue, resolve])
    this.#queued += 1
    await promise
  }

  /** Starts the next client's call and moves that client to the end of the queue. */
  #leave(): void {
    for (const [client, [next, ...rest]] of this.#queue) {
      this.#queue.delete(client)
      if (rest.length > 0) this.#queue.set(client, rest)
      this.#queued -= 1
      next?.()
      return
    }
    this.#running -= 1
  }
}

/** Extracts the salt from a stored hash. */
export function getSalt(passwordHash: string): string {
  return passwordHash.slice(0, passwordHash.indexOf(':'))
}

/**
 * Returns the salt for new passwords of this email address (in lower case). An address's account
 * and pending signups share the salt, so a login computes one hash and compares it with all their
 * hashes. The salt can't be computed without the server's secret.
 */
export function saltFor(secret: string, email: string): string {
  return createHmac('sha256', secret).update(`password salt\n${email}`).digest('hex').slice(0, 32)
}
