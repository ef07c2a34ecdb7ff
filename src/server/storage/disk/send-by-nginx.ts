import type { IncomingMessage, ServerResponse } from 'node:http'
import { expectedStart } from '../byte-range.ts'
import { contentHeaders } from '../download-headers.ts'
import type { DownloadGrant, OnBytes } from '../storage.ts'

/**
 * Tells whether a request came through an nginx that can send files itself. Our configuration of
 * nginx adds a header to every request to say so (`deploy/nginx/mayfly.conf`). A request without
 * this header did not pass such an nginx, so this server must send the bytes. The client would take
 * an answer without bytes for an empty file.
 */
export function canNginxSend({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['x-sendfile-type'] === 'X-Accel-Redirect'
}

interface Answer {
  request: IncomingMessage
  response: ServerResponse
  /** Where nginx finds the file: a path below its internal location. */
  path: string
  modifiedAt: Date
  onBytes: OnBytes | undefined
}

/**
 * Answers GET or HEAD with the headers of a file, and leaves its bytes to nginx (X-Accel-Redirect).
 * nginx obeys the conditional headers and the range, with an entity tag of its own. So this server
 * evaluates them too, to know whether the answer will have the first byte.
 */
export async function sendByNginx(
  grant: DownloadGrant,
  { request, response, path, modifiedAt, onBytes }: Answer,
): Promise<void> {
  // nginx's entity tag has no milliseconds.
  const seconds = Math.floor(modifiedAt.getTime() / 1000)
  const etag = `"${seconds.toString(16)}-${grant.size.toString(16)}"`
  const validators = async () => ({ etag, lastModified: modifiedAt })
  const start = await expectedStart(request, grant.size, validators)
  if (start !== null) await onBytes?.(start)
  const headers = { ...contentHeaders(grant), 'X-Accel-Redirect': path, 'Content-Length': 0 }
  response.writeHead(200, headers).end()
}
