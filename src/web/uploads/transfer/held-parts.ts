import { type PartPlan, partRange } from '../../../shared/rules/files/part-plan.ts'
import { TransferFailed, type TransferJob } from '../upload-ports.ts'
import type { Checksums } from './checksums.ts'

/**
 * Returns the numbers of the parts that storage has from an earlier attempt, after comparing them
 * with the file. If storage names a checksum and the browser can compute it too, the checksums
 * decide. Otherwise a part counts as equal while the file has the same date as when its upload
 * began.
 * @throws {TransferFailed} as `changed` when a part differs from the file.
 * @throws {FileUnreadable} when the file cannot be read.
 * @throws the reason of the signal when it is aborted.
 */
export async function findHeldParts(
  { file, ticket, held, hasFirstDate, signal }: TransferJob,
  plan: PartPlan,
  checksums: Pick<Checksums, 'part'>,
): Promise<number[]> {
  const found: number[] = []
  for (const { partNumber, size, checksum } of held) {
    if (partNumber < 1 || partNumber > plan.count) continue
    const range = partRange(file.size, plan.size, partNumber)
    if (size !== range.size) continue
    const part = file.slice(range.offset, range.offset + size)
    const own = checksum === undefined ? null : await checksums.part(part, ticket.checksum, signal)
    const isOwn = own === null ? hasFirstDate : own === checksum
    if (!isOwn) throw new TransferFailed('changed')
    found.push(partNumber)
  }
  return found
}
