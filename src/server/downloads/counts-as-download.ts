import { isPreviewRobot } from '../../shared/rules/preview-robot.ts'

/**
 * Whether a request is the one of its download that counts (design §4: one download counts once).
 * The first byte decides: of a download in pieces or with a resumption, one request asks for it.
 * A HEAD asks for none, who sends If-None-Match has the bytes already, and a chat preview's robot
 * is nobody's download.
 */
export const countsAsDownload = (method: string, headers: Headers): boolean => {
  if (method !== 'GET' || headers.has('if-none-match')) return false
  if (isPreviewRobot(headers.get('user-agent') ?? undefined)) return false
  const range = headers.get('range')
  return range === null || !/^bytes=/i.test(range) || /^bytes=0+-/i.test(range)
}
