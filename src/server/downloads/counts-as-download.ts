import { isPreviewRobot } from '../../shared/rules/preview-robot.ts'

/**
 * Tells whether an answer that begins at this offset of the file counts as a download (design §4:
 * one download counts once). Only the answer with the first byte counts. A download in pieces, or
 * one that is resumed, has exactly one such answer. A preview robot never counts.
 */
export function countsAsDownload(start: number, userAgent: string | undefined): boolean {
  return start === 0 && !isPreviewRobot(userAgent)
}

/**
 * Returns the offset at which the answer to a request will begin, when the object storage sends the
 * bytes. Returns null if the answer probably has no bytes: for a HEAD, or for a client that already
 * has the file.
 */
export function expectedStart(method: string, headers: Headers): number | null {
  if (method !== 'GET' || headers.has('if-none-match') || headers.has('if-modified-since')) {
    return null
  }
  const [, first] = /^bytes=(\d*)-/i.exec(headers.get('range') ?? 'bytes=0-') ?? [null, '0']
  return first === '' ? null : Number(first)
}
