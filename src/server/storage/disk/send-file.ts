import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { AppError } from '../../errors.ts'
import { downloadCaching } from '../attachment.ts'
import { evaluateConditions, selectRange, type Validators } from '../byte-range.ts'
import type { DownloadGrant, OnBytes } from '../storage.ts'
import type { ByteSource, OnSent } from './byte-sources.ts'
import { contentHeaders } from './download-headers.ts'

interface FileAnswer {
  request: IncomingMessage
  response: ServerResponse
  onBytes?: OnBytes | undefined
  onSent: OnSent
}

/**
 * Answers GET or HEAD with a file or one range of it, and obeys conditional headers: 200, 206 or
 * 304. Resolves when the answer has been sent or the client has left. The caller closes `source`.
 * @throws {AppError} 412 or 416 where the conditional headers or the range ask for it.
 * @throws {Error} when the file does not have the size in the grant, or cannot be read.
 */
export async function sendFile(
  source: ByteSource,
  grant: DownloadGrant,
  { request, response, onBytes, onSent }: FileAnswer,
): Promise<void> {
  const { size } = source
  assertSize(grant, size)
  if (response.destroyed) return
  const validators = validatorsOf(grant)
  const outcome = evaluateConditions(request.headers, validators)
  if (outcome === 'failed') throw new AppError('PRECONDITION_FAILED')
  if (outcome === 'unmodified') {
    response.writeHead(304, cachingHeaders(validators)).end()
    return
  }
  // RFC 9110 §14.2: a Range header is valid only with GET.
  const rangeCounts = request.method === 'GET' && outcome === 'range'
  const range = rangeCounts ? selectRange(request.headers.range, size) : 'whole'
  if (range === 'unsatisfiable') {
    throw new AppError('RANGE_NOT_SATISFIABLE', {
      headers: { 'Content-Range': `bytes */${size}` },
    })
  }
  const part = range === 'whole' ? { start: 0, end: size - 1 } : range
  response.writeHead(range === 'whole' ? 200 : 206, {
    ...cachingHeaders(validators),
    ...contentHeaders(grant),
    'Accept-Ranges': 'bytes',
    'Content-Length': part.end - part.start + 1,
    ...(range !== 'whole' && { 'Content-Range': `bytes ${part.start}-${part.end}/${size}` }),
  })
  if (request.method !== 'GET') {
    response.end()
    return
  }
  await onBytes?.(part.start)
  await source.send(part, response, onSent)
}

/** @throws {Error} when the stored bytes are not as many as the grant says. */
export function assertSize(grant: Pick<DownloadGrant, 'key' | 'size'>, size: number): void {
  if (size !== grant.size) throw new Error(`${grant.key}: ${size} bytes, not ${grant.size}`)
}

function validatorsOf(grant: DownloadGrant): Validators {
  return { etag: `"${encodeURIComponent(grant.version)}"`, lastModified: grant.createdAt }
}

function cachingHeaders({ etag, lastModified }: Validators): OutgoingHttpHeaders {
  return {
    ETag: etag,
    'Last-Modified': lastModified.toUTCString(),
    'Cache-Control': downloadCaching,
  }
}
