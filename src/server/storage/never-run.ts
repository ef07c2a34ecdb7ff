import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../errors.ts'

/*
 * Nothing that somebody uploaded runs on the origin of our pages. Their policy allows scripts and
 * styles of this origin, and links stand on it too. So the bytes behind a link must never be taken
 * for a script, a style or a document: not by their type, and not by what asks for them.
 */

/** The media types that a browser runs, applies or renders as a document. */
const run = [
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
 * Returns the media type with which a file is sent: its own, or `application/octet-stream` where a
 * browser could run the file.
 */
export function typeToSend(mimeType: string): string {
  const type = mimeType.toLowerCase()
  return run.some((pattern) => pattern.test(type)) ? 'application/octet-stream' : mimeType
}

/**
 * What a browser may want a file for (`Sec-Fetch-Dest`): to open it or to read it, which saves it,
 * and to show a picture or play it. A frame saves it too, for every file is sent as an attachment.
 */
const allowed = new Set(['document', 'empty', 'frame', 'iframe', 'image', 'audio', 'video'])

/**
 * Refuses a request for a file that a browser makes to run or to embed it: as a script, a style, a
 * worker, a manifest, a plug-in. Browsers tell that to https and to this machine; programs send no
 * such header and pass.
 * @throws {AppError} DOWNLOAD_ONLY
 */
export function refuseToRun(headers: IncomingHttpHeaders): void {
  const { 'sec-fetch-dest': wanted = 'empty', 'service-worker': worker } = headers
  if (worker !== undefined || !allowed.has(String(wanted))) throw new AppError('DOWNLOAD_ONLY')
}
