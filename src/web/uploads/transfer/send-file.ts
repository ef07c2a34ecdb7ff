import { type SendFile, TransferFailed, type TransferJob } from '../upload-ports.ts'
import { FileUnreadable } from './hash-blob.ts'
import { findHeldParts } from './held-parts.ts'
import { type PartsDeps, sendParts } from './send-parts.ts'
import { sendWholeFile } from './send-whole-file.ts'

/** What sending a file needs from the server and the browser. */
export interface SendFileDeps extends PartsDeps {
  /** Waits while the browser leaves this page. */
  waitWhileLeaving: (signal: AbortSignal) => Promise<void>
}

/** Makes the function that sends the bytes of an upload. */
export function createSendFile(deps: SendFileDeps): SendFile {
  return async (job) => {
    try {
      await send(job, deps)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      // From `beforeunload` on, WebKit refuses to read files. That is no proof that a file changed.
      await deps.waitWhileLeaving(job.signal)
      throw new TransferFailed('unreadable')
    }
  }
}

function isUnreadable(error: unknown): boolean {
  if (error instanceof FileUnreadable) return true
  return error instanceof TransferFailed && error.kind === 'unreadable'
}

/** Sends a file of one part in one PUT, unless storage has all of it. Sends others in parts. */
async function send(job: TransferJob, deps: PartsDeps): Promise<void> {
  const { ticket, file } = job
  if (ticket.parts) return sendParts(job, ticket.parts, deps)
  const onePart = { size: Math.max(1, file.size), count: 1 }
  const held = await findHeldParts(job, onePart, deps.checksums)
  if (held.length === 0) await sendWholeFile(job, deps)
}
