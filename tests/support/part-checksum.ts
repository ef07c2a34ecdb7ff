import type { BodyChecksum } from '../../src/shared/rules/files/part-plan.ts'
import { hashBlob } from '../../src/web/uploads/transfer/hash-blob.ts'

/** Computes a part's checksum in base64, as the checksum worker does. */
export async function computePartChecksum(part: Blob, checksum: BodyChecksum): Promise<string> {
  const hashes = await hashBlob(part, [checksum])
  return Buffer.from(hashes?.[checksum] ?? '', 'hex').toString('base64')
}
