import { transferLimits } from './transfer-limits.ts'

/**
 * Counts the bytes that all uploads have gathered and not written yet. At the limit, each upload
 * writes its bytes before it takes more. Its blocks are then smaller, but no upload waits for the
 * sender of another.
 */
export class GatheredBytes {
  #bytes = 0

  /** The current number. */
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
