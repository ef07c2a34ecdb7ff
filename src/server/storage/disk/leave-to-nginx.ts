import type { IncomingMessage, ServerResponse } from 'node:http'
import { downloadCaching } from '../attachment.ts'
import { expectedStart } from '../expected-start.ts'
import type { DownloadGrant, OnBytes } from '../storage.ts'
import { contentHeaders } from './download-headers.ts'

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
  const start = expectedStart(request.method, (name) => request.headers[name]?.toString())
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
