import { type PartPlan, type PartRange, partRange } from '../../../shared/rules/files/part-plan.ts'
import type { StoredPart } from '../upload-ports.ts'

/**
 * What the browser knows about the parts of a file. Each part is in one of three states: stored by
 * storage (*held*), being sent by a connection (*in flight*), or still to be sent.
 */
export class PartProgress {
  readonly #fileSize: number
  readonly #plan: PartPlan
  /**
   * Numbers of bytes, by part number. `#held` has the stored parts with their whole size,
   * `#inFlight` the parts that are being sent with the bytes sent so far.
   */
  readonly #held = new Map<number, number>()
  readonly #inFlight = new Map<number, number>()
  #heldBytes = 0
  #arrivals = 0

  constructor(fileSize: number, plan: PartPlan) {
    this.#fileSize = fileSize
    this.#plan = plan
  }

  /** How many parts the file has. */
  get count(): number {
    return this.#plan.count
  }

  /**
   * How many parts storage has received so far. A part that was lost and sent again counts twice.
   */
  get arrivals(): number {
    return this.#arrivals
  }

  /** The number of bytes that storage has or that were sent, at most the size of the file. */
  get bytes(): number {
    const left = [...this.#inFlight.values()].reduce((sum, bytes) => sum + bytes, 0)
    return Math.min(this.#heldBytes + left, this.#fileSize)
  }

  range(partNumber: number): PartRange {
    return partRange(this.#fileSize, this.#plan.size, partNumber)
  }

  holds(partNumber: number): boolean {
    return this.#held.has(partNumber)
  }

  /** Returns the numbers of the parts that storage is known to have. */
  held(): number[] {
    return [...this.#held.keys()]
  }

  /** Yields the numbers of the parts that are neither stored nor being sent, lowest first. */
  *upcoming(): Generator<number> {
    for (let partNumber = 1; partNumber <= this.#plan.count; partNumber += 1) {
      if (!this.#held.has(partNumber) && !this.#inFlight.has(partNumber)) yield partNumber
    }
  }

  /** Returns the number of the part to send next; null when none is left. */
  next(): number | null {
    return this.upcoming().next().value ?? null
  }

  /** Returns the number of the next part and marks it as being sent; null when none is left. */
  beginNext(): number | null {
    return this.#begin(this.next())
  }

  /**
   * Marks the last of the parts still to be sent as being sent, so that no connection takes it
   * until `release` is called. Returns its number; null when no part is left.
   */
  reserveLast(): number | null {
    return this.#begin([...this.upcoming()].at(-1) ?? null)
  }

  #begin(partNumber: number | null): number | null {
    if (partNumber !== null) this.#inFlight.set(partNumber, 0)
    return partNumber
  }

  /** Notes that no connection sends the part any more, whether or not it has arrived. */
  release(partNumber: number): void {
    this.#inFlight.delete(partNumber)
  }

  /** Notes how many bytes of a part were sent by the running request. */
  sent(partNumber: number, bytes: number): void {
    if (!this.#inFlight.has(partNumber)) return
    this.#inFlight.set(partNumber, Math.min(bytes, this.range(partNumber).size))
  }

  /** Notes that storage has this part. */
  hold(partNumber: number): void {
    if (this.#held.has(partNumber)) return
    const { size } = this.range(partNumber)
    this.#held.set(partNumber, size)
    this.#heldBytes += size
    this.#arrivals += 1
    this.sent(partNumber, 0)
  }

  /** Notes that storage has lost this part, or has other bytes under its number. */
  lose(partNumber: number): void {
    this.#heldBytes -= this.#held.get(partNumber) ?? 0
    this.#held.delete(partNumber)
  }

  /**
   * Takes over the list of parts that storage says it has. These may be more than are known here,
   * or fewer. Incomplete parts do not count. Parts that other connections are sending are left out:
   * the answers to their requests will tell whether storage has them.
   * @param knownBefore the parts that were known as stored when storage was asked. Only these can
   * be missing.
   * @param asking the part that was being sent and for which storage was asked; null for none.
   */
  learn(parts: readonly StoredPart[], knownBefore: readonly number[], asking: number | null): void {
    const listed = new Set(
      parts.filter((part) => this.isWhole(part)).map((part) => part.partNumber),
    )
    for (const partNumber of knownBefore) if (!listed.has(partNumber)) this.lose(partNumber)
    for (const partNumber of listed) {
      if (partNumber === asking || !this.#inFlight.has(partNumber)) this.hold(partNumber)
    }
  }

  /** True when a part belongs to this file and has all its bytes. */
  isWhole({ partNumber, size }: StoredPart): boolean {
    const exists = partNumber >= 1 && partNumber <= this.#plan.count
    return exists && size === this.range(partNumber).size
  }
}
