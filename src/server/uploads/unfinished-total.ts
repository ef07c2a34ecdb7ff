import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { sumUnfinished } from './queries.ts'
import { chargeOf } from './upload-ceilings.ts'

/** The sum over all rows is a scan, and is made at most once in so long. */
const sumEveryMs = 10_000

/**
 * The bytes of all uploads that nobody has confirmed, by a sum that is 10 s old at most and what was
 * started here since. It counts rather too much than too little: whoever comes near a ceiling by it
 * asks the database (`holdToInstanceCeiling`).
 */
export class UnfinishedTotal {
  readonly #db: Db
  readonly #clock: Clock
  #sum = 0
  #summedAt = Number.NEGATIVE_INFINITY
  /** Started here before and since the last sum: rows of the former may have come too late for it. */
  #startedBefore = 0
  #startedSince = 0
  #summing: Promise<void> | undefined

  constructor(db: Db, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Counts an upload of `size` bytes, and answers what all count with it. */
  async add(size: number): Promise<number> {
    this.#startedSince += chargeOf(size)
    if (this.#clock().getTime() - this.#summedAt >= sumEveryMs) await this.#sumOnce()
    return this.#sum + this.#startedBefore + this.#startedSince
  }

  /** Those who ask meanwhile share one sum. */
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
