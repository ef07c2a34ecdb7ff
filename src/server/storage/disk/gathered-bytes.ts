import { transferLimits } from './transfer-limits.ts'

/**
 * What all uploads have taken in and not written yet. Where that comes to its limit, each of them
 * writes what it has before it takes more: in smaller blocks, and none waits for another's sender.
 */
export class GatheredBytes {
  #bytes = 0

  /** Now. */
  get bytes(): number {
    return this.#bytes
  }

  get isFull(): boolean {
    return this.#bytes >= transferLimits.gatheredBytes
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  remove(bytes: number): void {
    this.#bytes -= bytes
  }
}
