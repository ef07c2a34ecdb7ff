import { type StoredPart, TransferFailed, type TransferJob } from '../upload-ports.ts'
import type { PartProgress } from './part-progress.ts'

/**
 * True when a part in storage equals that part of the file. Storage may have the part of an older
 * version. If storage names a checksum and the browser can compute it too, the checksums decide.
 * Otherwise the part counts as equal while the file has the same date as when its upload began.
 * @param computeOwn computes the checksum of the file's own part; null where this browser cannot.
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
 * Compares the parts that storage had before this transfer with the file. Parts that differ are
 * sent again.
 *
 * The last missing part is sent only when all comparisons have ended and the parts that differ have
 * been sent again. Otherwise storage could have all parts of a mixture of two versions, and a tab
 * without the file could confirm that mixture.
 */
export class HeldPartsCheck {
  readonly #job: Pick<TransferJob, 'held' | 'ticket'>
  readonly #parts: PartProgress
  /** The numbers of the parts that this transfer sent and storage received. */
  readonly #sent = new Set<number>()
  /** The numbers of the stored parts that differ from the file. */
  readonly #different = new Set<number>()
  #reserved: number | null = null

  /** @param parts must already know the parts that the job lists as `held`. */
  constructor(job: Pick<TransferJob, 'held' | 'ticket'>, parts: PartProgress) {
    this.#job = job
    this.#parts = parts
    if (parts.held().length > 0) this.#reserved = parts.reserveLast()
  }

  /**
   * Notes that this transfer sent the part and storage received it. So the part is the file's own.
   */
  sent(partNumber: number): void {
    this.#sent.add(partNumber)
  }

  /**
   * Marks each stored part that differs from the file as lost, so that it is sent again.
   * @param isOwn returns true when a part equals that part of the file.
   * @param onDifferent called after each part that differs.
   * @throws {TransferFailed} as `unreadable` when storage has all parts, and one that differs may
   * not be sent again (see `#isReplaceable`).
   * @throws the reason of the signal when it is aborted, and the errors of `isOwn`.
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
      // Storage may have lost the older part meanwhile, and then received the file's own part from
      // this transfer.
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
   * True when a part that differs may be sent again although storage already has all parts. It must
   * be the only part, because one new part among older ones makes a mixture of two versions.
   *
   * A part that is listed without a checksum may be sealed: no PUT changes it any more. Then the
   * browser would confirm the older version. Only a storage that computes the SHA-256 itself
   * notices this.
   */
  #isReplaceable({ checksum }: StoredPart): boolean {
    const isOnlyPart = this.#parts.count === 1
    return isOnlyPart && (checksum !== undefined || this.#job.ticket.computesSha256 === true)
  }

  /**
   * Allows the last missing part to be sent, if all parts in storage are now the file's own. Call
   * it when no comparison is running.
   */
  release(): void {
    if (this.#reserved === null) return
    if (![...this.#different].every((partNumber) => this.#parts.holds(partNumber))) return
    this.#parts.release(this.#reserved)
    this.#reserved = null
  }
}
