import { type StoredPart, TransferFailed, type TransferJob } from '../upload-ports.ts'
import type { PartProgress } from './part-progress.ts'

/**
 * Whether the part that storage holds is equal to that of the file. Storage may hold the part of an
 * older version. The checksum decides. Without a checksum, the part counts as equal while the file
 * has the same date as at the start of its upload.
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
 * Finds the parts that storage held before this transfer and that differ from the file as it is
 * now. They are sent again. Meanwhile the last missing part is held back. Otherwise storage could
 * have all parts of a mixture of two versions, and a tab without the file could confirm that
 * mixture.
 */
export class HeldPartsCheck {
  readonly #job: Pick<TransferJob, 'held' | 'ticket'>
  readonly #parts: PartProgress
  /** The parts that storage received from this transfer. */
  readonly #sent = new Set<number>()
  /** The held parts that differ from the file. */
  readonly #different = new Set<number>()
  #reserved: number | null = null

  /** @param parts must already know the parts that the job lists as held. */
  constructor(job: Pick<TransferJob, 'held' | 'ticket'>, parts: PartProgress) {
    this.#job = job
    this.#parts = parts
    if (parts.held().length > 0) this.#reserved = parts.reserveLast()
  }

  /** Notes that storage received this part from this transfer. So the part is the file's own. */
  sent(partNumber: number): void {
    this.#sent.add(partNumber)
  }

  /**
   * Marks each part that differs as lost, so that it is sent again.
   * @param isOwn whether a part is equal to that of the file.
   * @param onDifferent called after each part that differs.
   * @throws {TransferFailed} as unreadable where storage has the whole of another version.
   * @throws the reason of the signal when it fires, and the errors of `isOwn`.
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
      // Storage may have lost the older part meanwhile and received the file's own.
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
   * Whether a part that differs may be sent again although storage has all parts. It must be the
   * only part, because one new part among older ones makes a mixture of two versions. A part that
   * is listed without a checksum may be sealed: then it stays as it is, whatever is sent. Only a
   * storage that computes the SHA-256 itself then finds out that the file is an older version.
   */
  #isReplaceable({ checksum }: StoredPart): boolean {
    const isOnlyPart = this.#parts.count === 1
    return isOnlyPart && (checksum !== undefined || this.#job.ticket.computesSha256 === true)
  }

  /**
   * Call this when no comparison is running. Lets the reserved part be sent as soon as all parts in
   * storage are the file's own.
   */
  release(): void {
    if (this.#reserved === null) return
    if (![...this.#different].every((partNumber) => this.#parts.holds(partNumber))) return
    this.#parts.release(this.#reserved)
    this.#reserved = null
  }
}
