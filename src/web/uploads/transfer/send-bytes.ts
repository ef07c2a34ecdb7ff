import type { TransferJob } from '../upload-ports.ts'
import { type PartsDeps, sendParts } from './send-parts.ts'
import { sendWholeFile } from './send-whole-file.ts'
import { findStoredParts } from './stored-parts.ts'

/**
 * Sends a single-part file in one PUT, unless storage already has it. Sends other files in parts.
 */
export async function sendBytes(job: TransferJob, deps: PartsDeps): Promise<void> {
  const { ticket, file } = job
  if (ticket.parts) return sendParts(job, ticket.parts, deps)
  const singlePart = { size: Math.max(1, file.size), count: 1 }
  const storedParts = await findStoredParts(job, singlePart, deps.checksums)
  if (storedParts.length === 0) await sendWholeFile(job, deps)
}
