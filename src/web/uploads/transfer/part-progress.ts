import { type PartPlan, type PartRange, partRange } from '../../../shared/rules/part-plan.ts'
import type { StoredPart } from '../upload-ports.ts'

/**
 * What the browser knows about the parts of a file. Each part is held by storage, in flight (a
 * connection sends it), or still to be sent.
 */
export class PartProgress {
  readonly #fileSize: number
  readonly #plan: PartPlan
  /**
   * The bytes of each part, by part number. A held part counts with its whole size, a part in
   * flight with the bytes sent so far.
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

  /** How many parts storage has received so far. A part that was lost and sent again counts twice. */
  get arrivals(): number {
    return this.#arrivals
  }

  /** The bytes that storage holds or that were sent, at most the size of the file. */
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

  /** Returns the numbers of the parts that storage is known to hold. */
  held(): number[] {
    return [...this.#held.keys()]
  }

  /** Yields the parts that are neither held nor in flight, lowest number first. */
  *upcoming(): Generator<number> {
    for (let partNumber = 1; partNumber <= this.#plan.count; partNumber += 1) {
      if (!this.#held.has(partNumber) && !this.#inFlight.has(partNumber)) yield partNumber
    }
  }

  /** Returns the part to send next; null when none is left. */
  next(): number | null {
    return this.upcoming().next().value ?? null
  }

  /** Notes that the next part is in flight and returns it; null when none is left. */
  beginNext(): number | null {
    return this.#begin(this.next())
  }

  /**
   * Notes the last part as in flight, so that it is not sent until it is released. Returns it; null
   * when none is left.
   */
  reserveLast(): number | null {
    return this.#begin([...this.upcoming()].at(-1) ?? null)
  }

  #begin(partNumber: number | null): number | null {
    if (partNumber !== null) this.#inFlight.set(partNumber, 0)
    return partNumber
  }

  /** Notes that the part is not in flight any more, whether or not it has arrived. */
  release(partNumber: number): void {
    this.#inFlight.delete(partNumber)
  }

  /** Notes how many bytes of a part in flight were sent. */
  sent(partNumber: number, bytes: number): void {
    if (!this.#inFlight.has(partNumber)) return
    this.#inFlight.set(partNumber, Math.min(bytes, this.range(partNumber).size))
  }

  /** Notes that storage holds this part. */
  hold(partNumber: number): void {
    if (this.#held.has(partNumber)) return
    const { size } = this.range(partNumber)
    this.#held.set(partNumber, size)
    this.#heldBytes += size
    this.#arrivals += 1
    this.sent(partNumber, 0)
  }

  /** Notes that storage does not hold this part any more, or holds other bytes under its number. */
  lose(partNumber: number): void {
    this.#heldBytes -= this.#held.get(partNumber) ?? 0
    this.#held.delete(partNumber)
  }

  /**
   * Takes over the list of parts that storage says it holds. These may be more than are known here,
   * or fewer. Incomplete parts do not count. Other parts in flight are left out, because their own
   * requests decide.
   * @param knownBefore the parts that were known as held when storage was asked. Only these can be
   * missing.
   * @param asking the part in flight for which storage was asked; null for none.
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

  /** Whether a part belongs to this file and has all its bytes. */
  isWhole({ partNumber, size }: StoredPart): boolean {
    const exists = partNumber >= 1 && partNumber <= this.#plan.count
    return exists && size === this.range(partNumber).size
  }
}
