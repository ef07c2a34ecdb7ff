import { isPreviewRobot } from '../../shared/rules/preview-robot.ts'

/**
 * Whether an answer that begins at this offset of the file is the one of its download that counts
 * (design §4: one download counts once). The first byte decides: of a download in pieces or with a
 * resumption, one answer has it. A chat preview's robot is nobody's download.
 */
export function countsAsDownload(start: number, userAgent: string | undefined): boolean {
  return start === 0 && !isPreviewRobot(userAgent)
}

/**
 * The offset at which the answer to a request will begin, for bytes that somebody else will send;
 * null where none are to be expected: a HEAD, or a client that has them already.
 */
export function expectedStart(method: string, headers: Headers): number | null {
  if (method !== 'GET' || headers.has('if-none-match') || headers.has('if-modified-since')) {
    return null
  }
  const [, first] = /^bytes=(\d*)-/i.exec(headers.get('range') ?? 'bytes=0-') ?? [null, '0']
  return first === '' ? null : Number(first)
}
