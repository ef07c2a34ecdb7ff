import { transferLimits } from './transfer-limits.ts'

/**
 * Counts the bytes that all uploads together keep in memory and have not written yet. When the
 * limit is reached, each upload writes its bytes before it accepts more. So no upload waits for
 * memory that another upload keeps while its client is slow.
 */
export class GatheredBytes {
  #bytes = 0

  /** How many bytes are in memory now. */
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
