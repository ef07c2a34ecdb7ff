import { type SendFile, TransferError, type TransferJob } from '../upload-ports.ts'
import { FileUnreadableError } from './hash-blob.ts'
import { type PartsDeps, sendParts } from './send-parts.ts'
import { sendWholeFile } from './send-whole-file.ts'
import { findStoredParts } from './stored-parts.ts'

export interface SendFileDeps extends PartsDeps {
  /** Waits while the browser is leaving this page. */
  waitWhileUnloading: (signal: AbortSignal) => Promise<void>
}

/** Creates the function that sends an upload's bytes. */
export function createSendFile(deps: SendFileDeps): SendFile {
  return async (job) => {
    try {
      await send(job, deps)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      // WebKit stops reading files after `beforeunload`, so an unreadable file may be unchanged.
      await deps.waitWhileUnloading(job.signal)
      throw new TransferError('unreadable')
    }
  }
}

function isUnreadable(error: unknown): boolean {
  if (error instanceof FileUnreadableError) return true
  return error instanceof TransferError && error.kind === 'unreadable'
}

/**
 * Sends a single-part file in one PUT, unless storage already has it. Sends other files in parts.
 */
async function send(job: TransferJob, deps: PartsDeps): Promise<void> {
  const { ticket, file } = job
  if (ticket.parts) return sendParts(job, ticket.parts, deps)
  const singlePart = { size: Math.max(1, file.size), count: 1 }
  const storedParts = await findStoredParts(job, singlePart, deps.checksums)
  if (storedParts.length === 0) await sendWholeFile(job, deps)
}
