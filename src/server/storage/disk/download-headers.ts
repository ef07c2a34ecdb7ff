import type { OutgoingHttpHeaders } from 'node:http'
import { attachment } from '../attachment.ts'
import { typeToSend } from '../never-run.ts'
import type { DownloadGrant } from '../storage.ts'

/**
 * The headers that describe a file. They make browsers save it and never show it, so that nothing
 * in a file runs on our pages' origin.
 */
export function contentHeaders(
  grant: Pick<DownloadGrant, 'mimeType' | 'fileName'>,
): OutgoingHttpHeaders {
  return {
    'Content-Type': typeToSend(grant.mimeType),
    'Content-Disposition': attachment(grant.fileName),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}
