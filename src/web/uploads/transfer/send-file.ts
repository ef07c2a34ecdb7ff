import { type SendFile, TransferFailed } from '../upload-ports.ts'
import { FileUnreadable } from './hash-blob.ts'
import { mayBeSealedOtherwise } from './part-proof.ts'
import { type PartsDeps, sendParts } from './send-parts.ts'
import { transferFile } from './transfer.ts'

const isRefusedSignature = (error: unknown) =>
  error instanceof TransferFailed && error.kind === 'status' && error.status === 403

/**
 * Sends the bytes of an upload: a file of one part in one PUT, a larger one in parts. Where the URL of
 * the one PUT is refused, the file goes as its only part, whose URL can be signed anew. What storage
 * holds whole already is only compared.
 */
export const createSendFile =
  (deps: PartsDeps): SendFile =>
  async (job) => {
    const { ticket, file, held } = job
    const onePart = { size: Math.max(1, file.size), count: 1 }
    try {
      if (mayBeSealedOtherwise(job, ticket.parts ?? onePart)) throw new TransferFailed('unreadable')
      if (ticket.parts) return await sendParts(job, ticket.parts, deps)
      if (held.some(({ size }) => size === file.size)) return await sendParts(job, onePart, deps)
      try {
        await transferFile(job, deps)
      } catch (error) {
        if (!isRefusedSignature(error)) throw error
        await sendParts(job, onePart, deps)
      }
    } catch (error) {
      throw error instanceof FileUnreadable ? new TransferFailed('unreadable') : error
    }
  }
