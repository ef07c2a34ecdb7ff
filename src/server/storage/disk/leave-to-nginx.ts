import type { IncomingMessage, ServerResponse } from 'node:http'
import { downloadCaching } from '../attachment.ts'
import type { DownloadGrant, OnBytes } from '../storage.ts'
import { selectRange } from './byte-range.ts'
import { contentHeaders } from './download-headers.ts'

/**
 * Tells whether a request came through an nginx that can send files itself. nginx says so in a
 * header, as it does to other servers (`deploy/nginx/mayfly.conf`). Without this header an answer
 * without bytes could reach a client, who would take the file for an empty one.
 */
export function canNginxSend({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['x-sendfile-type'] === 'X-Accel-Redirect'
}

interface Answer {
  request: IncomingMessage
  response: ServerResponse
  /** Where nginx finds the file: a path below its internal location. */
  path: string
  onBytes?: OnBytes | undefined
}

/**
 * Answers GET or HEAD with the headers of a file, and leaves its bytes to nginx (X-Accel-Redirect).
 * nginx obeys the conditional headers and the range, with an entity tag of its own.
 */
export async function leaveToNginx(
  grant: DownloadGrant,
  { request, response, path, onBytes }: Answer,
): Promise<void> {
  const start = expectedStart(request, grant.size)
  if (start !== null) await onBytes?.(start)
  response
    .writeHead(200, {
      ...contentHeaders(grant),
      'Cache-Control': downloadCaching,
      'X-Accel-Redirect': path,
      'Content-Length': 0,
    })
    .end()
}

/**
 * Returns the offset at which the answer of nginx will begin. Returns null if it probably has no
 * bytes: for a HEAD, a range that the file does not have, or a client that already has the file.
 */
function expectedStart({ method, headers }: IncomingMessage, size: number): number | null {
  if (method !== 'GET') return null
  if (headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined) {
    return null
  }
  const range = selectRange(headers.range, size)
  if (range === 'unsatisfiable') return null
  return range === 'whole' ? 0 : range.start
}
