import { type PartPlan, partRange } from '../../../shared/rules/files/part-plan.ts'
import { TransferError, type TransferJob } from '../upload-ports.ts'
import type { Checksums } from './checksums.ts'

/**
 * Returns the numbers of the parts that storage has from an earlier attempt and that match the
 * file. Compares checksums if storage has one and the browser can compute it. Otherwise, a part
 * matches if the file's date is the same as when its upload started.
 * @throws {TransferError} `changed` if a part differs from the file.
 * @throws {FileUnreadableError} if the file is unreadable.
 * @throws the signal's reason when aborted.
 */
export async function findStoredParts(
  job: TransferJob,
  plan: PartPlan,
  checksums: Pick<Checksums, 'part'>,
): Promise<number[]> {
  const { file, ticket, storedParts, hasOriginalDate, signal } = job
  const partNumbers: number[] = []
  for (const { partNumber, size, checksum } of storedParts) {
    if (partNumber < 1 || partNumber > plan.count) continue
    const range = partRange(file.size, plan.size, partNumber)
    if (size !== range.size) continue
    const part = file.slice(range.offset, range.offset + size)
    const localChecksum = checksum && (await checksums.part(part, ticket.checksum, signal))
    const isMatch = localChecksum ? localChecksum === checksum : hasOriginalDate
    if (!isMatch) throw new TransferError('changed')
    partNumbers.push(partNumber)
  }
  return partNumbers
}
