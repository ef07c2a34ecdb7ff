import type { IncomingMessage, ServerResponse } from 'node:http'
import { expectedStart } from '../byte-range.ts'
import { contentHeaders } from '../download-headers.ts'
import type { DownloadGrant, OnBytes } from '../storage.ts'

/**
 * True if the request came through an nginx that can send files. Our nginx configuration
 * (`deploy/nginx/mayfly.conf`) marks every request with this header. Without it, this server must
 * send the bytes itself, or the client would receive an empty file.
 */
export function canNginxSend({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['x-sendfile-type'] === 'X-Accel-Redirect'
}

interface NginxDownload {
  request: IncomingMessage
  response: ServerResponse
  /** The file's path below nginx's internal location. */
  path: string
  modifiedAt: Date
  onBytes: OnBytes | undefined
}

/**
 * Answers a GET or HEAD with a file's headers and lets nginx send its bytes (X-Accel-Redirect).
 * nginx evaluates conditional headers and ranges with its own ETag. This server evaluates them too,
 * to predict which byte will be sent first.
 */
export async function sendByNginx(
  grant: DownloadGrant,
  { request, response, path, modifiedAt, onBytes }: NginxDownload,
): Promise<void> {
  // nginx builds its ETag from whole seconds.
  const seconds = Math.floor(modifiedAt.getTime() / 1000)
  const etag = `"${seconds.toString(16)}-${grant.size.toString(16)}"`
  const validators = async () => ({ etag, lastModified: modifiedAt })
  const start = await expectedStart(request, grant.size, validators)
  if (start !== null) await onBytes?.(start)
  const headers = { ...contentHeaders(grant), 'X-Accel-Redirect': path, 'Content-Length': 0 }
  response.writeHead(200, headers).end()
}
