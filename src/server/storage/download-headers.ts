import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { encodeExtended, format } from 'content-disposition'
import { AppError } from '../errors.ts'
import { type ByteRange, evaluateConditions, selectRange } from './byte-range.ts'
import type { DownloadGrant, OnBytes } from './storage.ts'

/*
 * Links share the origin of our pages, and the pages' CSP allows scripts and styles from that
 * origin. So browsers must never treat an uploaded file as a script, style sheet or document,
 * whatever its type and whatever requests it.
 */

/** Media types that browsers execute, apply or render as a document. */
const activeTypes = [
  /^(application|text)\/(x-)?(ecma|java)script(1\.\d)?$/,
  /^text\/(j|live)script$/,
  /^text\/(css|html|xml|xsl)$/,
  /^application\/(xml|wasm|manifest\+json)$/,
  // Matches XHTML, SVG, feeds and XML style sheets.
  /\+xml$/,
  // Each part of a multipart body has a type of its own, which could be one of these.
  /^multipart\//,
]

/**
 * Allowed values of `Sec-Fetch-Dest`. They stand for opening or fetching a file, which saves it,
 * and for showing or playing media. Frames are allowed because they save the file too: every file
 * is sent as an attachment.
 */
const allowedDestinations = new Set([
  'document',
  'empty',
  'frame',
  'iframe',
  'image',
  'audio',
  'video',
])

/**
 * The Cache-Control header of downloads. `private` keeps the bytes out of shared caches. Browsers
 * may cache them, to resume or repeat a download, but must revalidate before each use, which fails
 * once the link has ended. `no-transform` keeps proxies from recompressing, since the ETag
 * identifies the exact bytes.
 */
export const downloadCacheControl = 'private, no-cache, no-transform'

/** Response headers for a file's bytes. They make browsers save it and never render or run it. */
export function contentHeaders({
  mimeType,
  fileName,
}: Pick<DownloadGrant, 'mimeType' | 'fileName'>) {
  return {
    'Content-Type': safeContentType(mimeType),
    'Content-Disposition': contentDisposition(fileName),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': downloadCacheControl,
  }
}

/** Returns the strong entity tag of a version. */
function createEtag(version: string): string {
  return `"${encodeURIComponent(version)}"`
}

/**
 * Writes the head of a response with a file's bytes, honoring conditional headers and a single
 * range (200, 206 or 304). Returns the range to send, or null if the response has no body. If
 * `onBytes` rejects, nothing has been written.
 * @throws {AppError} 412 or 416; any error from `onBytes`.
 */
export async function writeDownloadHead(
  grant: Omit<DownloadGrant, 'key' | 'expiresAt' | 'createdAt'> & { createdAt: Date | null },
  {
    request,
    response,
    onBytes,
  }: { request: IncomingMessage; response: ServerResponse; onBytes?: OnBytes | undefined },
): Promise<ByteRange | null> {
  const { size, version, createdAt } = grant
  const validators = { etag: createEtag(version), lastModified: createdAt }
  const cacheHeaders = {
    ETag: validators.etag,
    ...(createdAt && { 'Last-Modified': createdAt.toUTCString() }),
  }
  const outcome = evaluateConditions(request.headers, validators)
  if (outcome === 'failed') throw new AppError('PRECONDITION_FAILED')
  const headers = contentHeaders(grant)
  if (outcome === 'unmodified') {
    response.writeHead(304, { ...cacheHeaders, 'Cache-Control': headers['Cache-Control'] })
    return null
  }
  // RFC 9110 §14.2: a Range header is valid only with GET.
  const isGet = request.method === 'GET'
  const selectedRange =
    isGet && outcome === 'range' ? selectRange(request.headers.range, size) : 'whole'
  if (selectedRange === 'unsatisfiable') {
    const contentRange = { 'Content-Range': `bytes */${size}` }
    throw new AppError('RANGE_NOT_SATISFIABLE', { headers: contentRange })
  }
  const range = selectedRange === 'whole' ? { start: 0, end: size - 1 } : selectedRange
  if (isGet) await onBytes?.(range.start)
  response.writeHead(selectedRange === 'whole' ? 200 : 206, {
    ...cacheHeaders,
    ...headers,
    'Accept-Ranges': 'bytes',
    'Content-Length': range.end - range.start + 1,
    ...(selectedRange !== 'whole' && {
      'Content-Range': `bytes ${range.start}-${range.end}/${size}`,
    }),
  })
  return isGet ? range : null
}

/**
 * Returns the media type to send: the file's own, or `application/octet-stream` if a browser could
 * run a file of that type.
 */
export function safeContentType(mimeType: string): string {
  const type = mimeType.toLowerCase()
  return activeTypes.some((pattern) => pattern.test(type)) ? 'application/octet-stream' : mimeType
}

/**
 * Returns a Content-Disposition header that makes browsers save the file under this name. It always
 * contains the exact name and an ASCII fallback for older clients.
 */
export function contentDisposition(fileName: string): string {
  const name = fileName.toWellFormed()
  const parameters = {
    filename: name.replace(/[^\x20-\x7e]/gu, '_'),
    'filename*': encodeExtended(name),
  }
  return format({ type: 'attachment', parameters }, { extended: false })
}

/**
 * Rejects requests that would run or embed a file: as a script, style sheet, worker, manifest or
 * plug-in. Browsers announce this in headers, over HTTPS and to localhost. Other programs don't,
 * and are allowed.
 * @throws {AppError} DOWNLOAD_ONLY
 */
export function rejectExecution(headers: IncomingHttpHeaders): void {
  const { 'sec-fetch-dest': destination = 'empty', 'service-worker': serviceWorker } = headers
  if (serviceWorker !== undefined || !allowedDestinations.has(String(destination)))
    throw new AppError('DOWNLOAD_ONLY')
}
