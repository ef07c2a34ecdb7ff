import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { sumUnfinished } from './queries.ts'
import { chargeOf } from './upload-ceilings.ts'

/** The sum reads all rows, so it is computed at most once in this time. */
const sumEveryMs = 10_000

/**
 * The bytes of all unconfirmed uploads: a sum that is at most 10 s old, plus the uploads that this
 * server started since. The total may be too high. It can be too low only by what other servers
 * started since the sum. When the total comes near the ceiling, `holdToInstanceCeiling` asks the
 * database for the exact sum.
 */
export class UnfinishedTotal {
  readonly #db: Db
  readonly #clock: Clock
  #sum = 0
  #summedAt = Number.NEGATIVE_INFINITY
  /**
   * The bytes of uploads that this server started: `#startedBefore` between the last two sums, and
   * `#startedSince` since the last sum. The total includes both, because the last sum may have
   * missed rows that were written shortly before it.
   */
  #startedBefore = 0
  #startedSince = 0
  #summing: Promise<void> | undefined

  constructor(db: Db, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Adds uploads of these sizes in bytes, and returns the total including them. */
  async add(...sizes: readonly number[]): Promise<number> {
    for (const size of sizes) this.#startedSince += chargeOf(size)
    if (this.#clock().getTime() - this.#summedAt >= sumEveryMs) await this.#sumOnce()
    return this.#sum + this.#startedBefore + this.#startedSince
  }

  /** Callers during a running sum share its result. */
  #sumOnce(): Promise<void> {
    this.#summing ??= this.#sumNow().finally(() => {
      this.#summing = undefined
    })
    return this.#summing
  }

  async #sumNow(): Promise<void> {
    const before = this.#startedSince
    this.#sum = await sumUnfinished(this.#db, {})
    this.#startedBefore = before
    this.#startedSince -= before
    this.#summedAt = this.#clock().getTime()
  }
}
