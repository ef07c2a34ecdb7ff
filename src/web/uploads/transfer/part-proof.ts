import type { PartPlan } from '../../../shared/rules/part-plan.ts'
import type { StoredPart, TransferJob } from '../upload-ports.ts'

/**
 * Whether storage holds of a part what the file has there; it may be from an older version of the
 * file. The checksum tells; without one it is believed while the file has the date that it had when
 * its upload began.
 * @param reckon the checksum of the file's own bytes there; null where this browser cannot.
 */
export const isOwnPart = async (
  { checksum }: StoredPart,
  reckon: () => Promise<string | null>,
  hasFirstDate: boolean,
): Promise<boolean> => {
  const own = checksum === undefined ? null : await reckon()
  return own === null ? hasFirstDate : own === checksum
}

/**
 * True when storage may have sealed another version of the file. It tells no checksums then, and takes
 * no byte any more. Storage that computes no SHA-256 would confirm its bytes under the one of this
 * version.
 */
export const mayBeSealedOtherwise = (
  { ticket, held, hasFirstDate }: TransferJob,
  { count }: PartPlan,
): boolean =>
  ticket.computesSha256 !== true &&
  !hasFirstDate &&
  held.length === count &&
  held.every(({ checksum }) => checksum === undefined)
