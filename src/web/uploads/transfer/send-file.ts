import { type SendFile, TransferFailed, type TransferJob } from '../upload-ports.ts'
import { FileUnreadable } from './hash-blob.ts'
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

/**
 * Sends a file of one part in one PUT, and a larger file in parts. If storage refuses the URL of
 * the one PUT, the file is sent as a single part, because URLs of parts can be signed again. If
 * storage has the whole file already, its bytes are only compared.
 */
async function send(job: TransferJob, deps: PartsDeps): Promise<void> {
  const { ticket, file, held } = job
  if (ticket.parts) return sendParts(job, ticket.parts, deps)
  const onePart = { size: Math.max(1, file.size), count: 1 }
  if (held.some(({ size }) => size === file.size)) return sendParts(job, onePart, deps)
  try {
    await sendWholeFile(job, deps)
  } catch (error) {
    const isUrlRefused =
      error instanceof TransferFailed && error.kind === 'status' && error.status === 403
    if (!isUrlRefused) throw error
    await sendParts(job, onePart, deps)
  }
}
