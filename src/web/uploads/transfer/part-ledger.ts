import { type PartPlan, type PartRange, partRange } from '../../../shared/rules/part-plan.ts'
import type { StoredPart } from '../upload-ports.ts'
import { nextPart } from './part-lanes.ts'

/** Which parts of a file storage holds, which are with a lane, and how many bytes that makes. */
export class PartLedger {
  readonly #fileSize: number
  readonly #plan: PartPlan
  /** Bytes by part: what storage holds, and what has left of those that lanes have taken. */
  readonly #held = new Map<number, number>()
  readonly #inFlight = new Map<number, number>()
  #heldBytes = 0
  #kept = 0

  constructor(fileSize: number, plan: PartPlan) {
    this.#fileSize = fileSize
    this.#plan = plan
  }

  /** How many parts the file has. */
  get count(): number {
    return this.#plan.count
  }

  /** How often storage has got hold of a part. */
  get kept(): number {
    return this.#kept
  }

  /** Bytes that storage holds or that are on their way; never more than the file has. */
  get bytes(): number {
    const onTheirWay = [...this.#inFlight.values()].reduce((sum, bytes) => sum + bytes, 0)
    return Math.min(this.#heldBytes + onTheirWay, this.#fileSize)
  }

  range(partNumber: number): PartRange {
    return partRange(this.#fileSize, this.#plan.size, partNumber)
  }

  holds(partNumber: number): boolean {
    return this.#held.has(partNumber)
  }

  /** The parts that storage is known to hold now. */
  held(): number[] {
    return [...this.#held.keys()]
  }

  /** The part to send next; null when none is left. */
  next(): number | null {
    return nextPart(this.#plan.count, this.#held, this.#inFlight)
  }

  /** All parts that are to be sent, in order. */
  *upcoming(): Generator<number> {
    for (let partNumber = 1; partNumber <= this.#plan.count; partNumber += 1) {
      if (!this.#held.has(partNumber) && !this.#inFlight.has(partNumber)) yield partNumber
    }
  }

  /** Gives the next part to a lane; null when none is left. */
  take(): number | null {
    const partNumber = this.next()
    if (partNumber !== null) this.#inFlight.set(partNumber, 0)
    return partNumber
  }

  /** Keeps the last of the parts to come from the lanes until it is released; null when none is left. */
  reserveLast(): number | null {
    const last = [...this.upcoming()].at(-1) ?? null
    if (last !== null) this.#inFlight.set(last, 0)
    return last
  }

  /** A lane is done with its part, whether it came through or not. */
  release(partNumber: number): void {
    this.#inFlight.delete(partNumber)
  }

  /** So many bytes of a part that a lane has taken have left. */
  sent(partNumber: number, bytes: number): void {
    if (!this.#inFlight.has(partNumber)) return
    this.#inFlight.set(partNumber, Math.min(bytes, this.range(partNumber).size))
  }

  /** Storage holds this part. */
  keep(partNumber: number): void {
    if (this.#held.has(partNumber)) return
    const { size } = this.range(partNumber)
    this.#held.set(partNumber, size)
    this.#heldBytes += size
    this.#kept += 1
    this.sent(partNumber, 0)
  }

  /**
   * Storage says what it holds: more than is known here, or less. Parts that are not whole do not
   * count, and what other lanes are sending is for those to know.
   * @param knownBefore what was held when storage was asked; only of those any can be missing.
   * @param mine the part of the lane that asked; null for none.
   */
  learn(parts: readonly StoredPart[], knownBefore: readonly number[], mine: number | null): void {
    const listed = new Set(
      parts.filter((part) => this.isWhole(part)).map((part) => part.partNumber),
    )
    for (const partNumber of knownBefore) if (!listed.has(partNumber)) this.lose(partNumber)
    for (const partNumber of listed) {
      if (partNumber === mine || !this.#inFlight.has(partNumber)) this.keep(partNumber)
    }
  }

  /** Storage does not hold this part any more, or holds something else under its number. */
  lose(partNumber: number): void {
    this.#heldBytes -= this.#held.get(partNumber) ?? 0
    this.#held.delete(partNumber)
  }

  /** Whether this is a part of the plan, with all its bytes. */
  isWhole({ partNumber, size }: StoredPart): boolean {
    const exists = partNumber >= 1 && partNumber <= this.#plan.count
    return exists && size === this.range(partNumber).size
  }
}
