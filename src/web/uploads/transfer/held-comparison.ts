import { type StoredPart, TransferFailed } from '../upload-ports.ts'
import type { PartLedger } from './part-ledger.ts'

/**
 * Finds the parts that the file has otherwise by now than when storage got them, before this transfer.
 * Meanwhile the last part to be sent is kept from the lanes: else storage would have all parts of a
 * mixture, and a tab that has lost the file may confirm whatever is whole.
 */
export class HeldComparison {
  readonly #held: readonly StoredPart[]
  readonly #ledger: PartLedger
  /** Parts that storage holds from this transfer. */
  readonly #heldSince = new Set<number>()
  /** Parts that storage held otherwise than the file has them. */
  readonly #different = new Set<number>()
  #reserved: number | null = null

  /** @param held what storage held before, of which the ledger has learnt already. */
  constructor(held: readonly StoredPart[], ledger: PartLedger) {
    this.#held = held
    this.#ledger = ledger
    if (ledger.held().length > 0) this.#reserved = ledger.reserveLast()
  }

  /** Storage holds this part from this transfer: it is the file's own, whatever was held before. */
  heldSince(partNumber: number): void {
    this.#heldSince.add(partNumber)
  }

  /**
   * Takes each part that differs out of the ledger, so that it is sent again.
   * @param isOwn whether the file has the same there.
   * @param onDifferent called after each that differs.
   * @throws {TransferFailed} as unreadable where storage has the whole of another version.
   * @throws the reason of the signal when that fires, and whatever `isOwn` rejects with.
   */
  async run(
    isOwn: (part: StoredPart) => Promise<boolean>,
    onDifferent: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    for (const part of this.#held) {
      signal.throwIfAborted()
      const { partNumber } = part
      if (!this.#ledger.holds(partNumber) || (await isOwn(part))) continue
      // Storage may have lost it meanwhile, and got the file's own.
      if (this.#heldSince.has(partNumber)) continue
      const isOnly = this.#ledger.count === 1
      if (this.#reserved === null && !isOnly) throw new TransferFailed('unreadable')
      this.#different.add(partNumber)
      this.#ledger.lose(partNumber)
      onDifferent()
    }
  }

  /**
   * To be called when nothing is compared any more: gives the part that was kept back to the lanes, as
   * soon as all that storage holds is the file's own.
   */
  release(): void {
    if (this.#reserved === null) return
    if (![...this.#different].every((partNumber) => this.#ledger.holds(partNumber))) return
    this.#ledger.release(this.#reserved)
    this.#reserved = null
  }
}
