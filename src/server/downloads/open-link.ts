import { linkStatus } from '../../shared/rules/link-status.ts'
import { isShortCode } from '../../shared/rules/short-code.ts'
import type { Clock } from '../deps.ts'
import type { FindLink, Link } from './queries.ts'

/**
 * The file behind a short code if its link is alive at this very moment, else null. Unknown,
 * expired, private and deleted look the same from outside (design §4).
 */
export async function openLink(
  { clock, findLink }: { clock: Clock; findLink: FindLink },
  code: string,
): Promise<Link | null> {
  if (!isShortCode(code)) return null
  const link = await findLink(code)
  // An active link is active whatever its owner's tier: the tier only decides what comes after.
  return link && linkStatus(link, 'free', clock()) === 'active' ? link : null
}
