import { type StoredPart, TransferFailed, type TransferJob } from '../upload-ports.ts'
import type { PartProgress } from './part-progress.ts'

/**
 * Whether storage holds of a part what the file has there. It may hold it of an older version of the
 * file. The checksum tells; where there is none, the part is believed while the file has the date that
 * it had when its upload began.
 * @param computeOwn the checksum of the file's own bytes there; null where this browser cannot compute it.
 */
export async function isOwnPart(
  { checksum }: StoredPart,
  computeOwn: () => Promise<string | null>,
  hasFirstDate: boolean,
): Promise<boolean> {
  const own = checksum === undefined ? null : await computeOwn()
  return own === null ? hasFirstDate : own === checksum
}

/**
 * Finds those of the parts held before this transfer that differ from the file as it is now, so that they
 * are sent again. Meanwhile the last part that is missing is not sent: else storage would have all
 * parts of a mixture of two versions, and a tab that has lost the file may confirm whatever is whole.
 */
export class HeldPartsCheck {
  readonly #job: Pick<TransferJob, 'held' | 'ticket'>
  readonly #parts: PartProgress
  /** Parts that storage got from this transfer. */
  readonly #sent = new Set<number>()
  /** Parts that storage held otherwise than the file has them. */
  readonly #different = new Set<number>()
  #reserved: number | null = null

  /** @param parts has learnt of the parts that the job says are held. */
  constructor(job: Pick<TransferJob, 'held' | 'ticket'>, parts: PartProgress) {
    this.#job = job
    this.#parts = parts
    if (parts.held().length > 0) this.#reserved = parts.reserveLast()
  }

  /** Storage got this part from this transfer: it is the file's own, whatever was held before. */
  sent(partNumber: number): void {
    this.#sent.add(partNumber)
  }

  /**
   * Takes each part that differs for lost, so that it is sent again.
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
    for (const part of this.#job.held) {
      signal.throwIfAborted()
      const { partNumber } = part
      if (!this.#parts.holds(partNumber) || (await isOwn(part))) continue
      // Storage may have lost it meanwhile, and got the file's own.
      if (this.#sent.has(partNumber)) continue
      if (this.#reserved === null && !this.#isReplaceable(part)) {
        throw new TransferFailed('unreadable')
      }
      this.#different.add(partNumber)
      this.#parts.lose(partNumber)
      onDifferent()
    }
  }

  /**
   * Whether a part of a file that storage has whole may be sent again. Of several parts none may: they
   * would become a mixture. A part without a checksum may be sealed, and then storage takes no byte any
   * more: where it computes no SHA-256 it would confirm the older version under the one of this version.
   */
  #isReplaceable({ checksum }: StoredPart): boolean {
    const isOnlyPart = this.#parts.count === 1
    return isOnlyPart && (checksum !== undefined || this.#job.ticket.computesSha256 === true)
  }

  /**
   * To be called when nothing is compared any more. Lets the reserved part be sent as soon as all that
   * storage holds is the file's own.
   */
  release(): void {
    if (this.#reserved === null) return
    if (![...this.#different].every((partNumber) => this.#parts.holds(partNumber))) return
    this.#parts.release(this.#reserved)
    this.#reserved = null
  }
}
