import type { StartedUpload, UploadTicket } from './upload-record.ts'

/** Returns the ticket in a server's response, which may contain part URLs. */
export function toTicket({ parts, ...ticket }: StartedUpload): UploadTicket {
  if (!parts) return ticket
  const { urls: _, ...plan } = parts
  return { ...ticket, parts: plan }
}
