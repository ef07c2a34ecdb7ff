import type { IncomingHttpHeaders } from 'node:http'
import { encodeExtended, format } from 'content-disposition'
import { AppError } from '../errors.ts'
import type { DownloadGrant } from './storage.ts'

/*
 * Nothing that somebody uploaded runs on the origin of our pages. Their policy allows scripts and
 * styles of this origin, and links stand on it too. So the bytes behind a link must never be taken
 * for a script, a style or a document: not by their type, and not by what asks for them.
 */

/** The media types that a browser runs, applies or renders as a document. */
const activeTypes = [
  /^(application|text)\/(x-)?(ecma|java)script(1\.\d)?$/,
  /^text\/(j|live)script$/,
  /^text\/(css|html|xml|xsl)$/,
  /^application\/(xml|wasm|manifest\+json)$/,
  // XHTML, SVG, feeds, style sheets of XML.
  /\+xml$/,
  // Each part has a type of its own.
  /^multipart\//,
]

/**
 * What a browser may want a file for (`Sec-Fetch-Dest`): to open it or to read it, which saves it,
 * and to show a picture or play it. A frame saves it too, for every file is sent as an attachment.
 */
const allowedUses = new Set(['document', 'empty', 'frame', 'iframe', 'image', 'audio', 'video'])

/**
 * The Cache-Control of a download. `private` keeps the bytes out of every shared cache. The browser
 * may keep them, so that it can resume a download and need not repeat one. But it must ask the
 * server before each use, and the server refuses after the link has ended. `no-transform` forbids
 * proxies to recompress, since the ETag stands for the exact bytes.
 */
export const downloadCaching = 'private, no-cache, no-transform'

/** The headers of a file's bytes. They make browsers save it and never show or run it. */
export function contentHeaders({ mimeType, fileName }: DownloadGrant) {
  return {
    'Content-Type': typeToSend(mimeType),
    'Content-Disposition': attachment(fileName),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': downloadCaching,
  }
}

/**
 * Returns the media type with which a file is sent: its own, or `application/octet-stream` where a
 * browser could run the file.
 */
export function typeToSend(mimeType: string): string {
  const type = mimeType.toLowerCase()
  return activeTypes.some((pattern) => pattern.test(type)) ? 'application/octet-stream' : mimeType
}

/**
 * Returns the Content-Disposition of a download, which makes browsers save the file under this name
 * and never show it. It always has both forms of the name: the exact one, and one in ASCII for
 * clients that know only that.
 */
export function attachment(fileName: string): string {
  const name = fileName.toWellFormed()
  const parameters = {
    filename: name.replace(/[^\x20-\x7e]/gu, '_'),
    'filename*': encodeExtended(name),
  }
  return format({ type: 'attachment', parameters }, { extended: false })
}

/**
 * Refuses a request by which a browser would run or embed a file: as a script, a style, a worker, a
 * manifest, a plug-in. Browsers say so to https and to this machine; programs send no such header
 * and pass.
 * @throws {AppError} DOWNLOAD_ONLY
 */
export function refuseToRun(headers: IncomingHttpHeaders): void {
  const { 'sec-fetch-dest': use = 'empty', 'service-worker': worker } = headers
  if (worker !== undefined || !allowedUses.has(String(use))) throw new AppError('DOWNLOAD_ONLY')
}
