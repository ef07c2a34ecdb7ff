import { type SendFile, TransferFailed, type TransferJob } from '../upload-ports.ts'
import { FileUnreadable } from './hash-blob.ts'
import { findHeldParts } from './held-parts.ts'
import { type PartsDeps, sendParts } from './send-parts.ts'
import { sendWholeFile } from './send-whole-file.ts'

/** Makes the function that sends the bytes of an upload. */
export function createSendFile(deps: PartsDeps): SendFile {
  return async (job) => {
    try {
      await send(job, deps)
    } catch (error) {
      throw error instanceof FileUnreadable ? new TransferFailed('unreadable') : error
    }
  }
}

/** Sends a file of one part in one PUT, unless storage has all of it. Sends others in parts. */
async function send(job: TransferJob, deps: PartsDeps): Promise<void> {
  const { ticket, file } = job
  if (ticket.parts) return sendParts(job, ticket.parts, deps)
  const onePart = { size: Math.max(1, file.size), count: 1 }
  const held = await findHeldParts(job, onePart, deps.checksums)
  if (held.length === 0) await sendWholeFile(job, deps)
}
