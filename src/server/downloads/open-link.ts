import { opens } from '../../shared/rules/links/link-status.ts'
import { isShortCode } from '../../shared/rules/links/short-code.ts'
import type { Clock } from '../deps.ts'
import type { FindLink, Link } from './queries.ts'

/**
 * Returns the file behind a short code if its link is active at this moment, or else null. Unknown,
 * expired, private and deleted links look the same from outside (design §4).
 */
export async function openLink(
  { clock, findLink }: { clock: Clock; findLink: FindLink },
  code: string,
): Promise<Link | null> {
  if (!isShortCode(code)) return null
  const link = await findLink(code)
  return link && opens(link, clock()) ? link : null
}
