import { isPreviewRobot } from '../../shared/rules/links/preview-robot.ts'

/**
 * Tells whether an answer that begins at this offset of the file counts as a download (design §4:
 * one download counts once). Only the answer with the first byte counts. A download in pieces, or
 * one that is resumed, has exactly one such answer. A preview robot never counts.
 */
export function countsAsDownload(start: number, userAgent: string | undefined): boolean {
  return start === 0 && !isPreviewRobot(userAgent)
}
