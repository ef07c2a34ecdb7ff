import type { File as StoredFile } from '../../shared/contract/files.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { groupedDigits } from '../../shared/rules/format/numbers.ts'

/** The moments of a receipt. A moment is null if it is not known or has not come. */
export interface ReceiptMoments {
  storedAt: Date
  dueAt: Date | null
  purgedAt: Date | null
}

/**
 * Writes the receipt of a file as text that people can keep or send. Its times are in UTC, because
 * others may read it in another time zone. Facts that are not known are left out.
 * @param origin the address of this server.
 */
export function receiptText(
  { originalName, size, sha256 }: Pick<StoredFile, 'originalName' | 'size' | 'sha256'>,
  { storedAt, dueAt, purgedAt }: ReceiptMoments,
  origin: string,
): string {
  const bytes = size < 1024 ? '' : ` (${groupedDigits(size)} bytes)`
  const lines = [
    `Receipt from ${origin}`,
    `File: ${originalName}`,
    `Size: ${formatSize(size)}${bytes}`,
    `Stored: ${momentOf(storedAt)}`,
    dueAt && `Removal due: ${momentOf(dueAt)}`,
    purgedAt && `Bytes deleted: ${momentOf(purgedAt)}, confirmed by storage`,
    sha256 && `SHA-256: ${sha256}`,
  ]
  return lines.filter((line) => line !== null && line !== '').join('\n')
}

/** Writes a moment so that it is the same for everybody: '2026-11-14 20:40:11 UTC'. */
function momentOf(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
