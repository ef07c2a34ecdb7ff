import { type SendFile, TransferError } from '../upload-ports.ts'
import { FileUnreadableError } from './hash-blob.ts'
import { sendBytes } from './send-bytes.ts'
import type { PartsDeps } from './send-parts.ts'

export interface SendFileDeps extends PartsDeps {
  /** Waits while the browser is leaving this page. */
  waitWhileUnloading: (signal: AbortSignal) => Promise<void>
}

/** Creates the function that sends an upload's bytes. */
export function createSendFile(deps: SendFileDeps): SendFile {
  return async (job) => {
    try {
      await sendBytes(job, deps)
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
