import type { Link } from '../../shared/contract/links.ts'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import type { LifelineDates } from '../../shared/rules/links/lifeline.ts'
import { type LinkDates, linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'

/** Returns the element id for the row of a link, or of one of its files. */
export function rowId({ id }: { id: string }): string {
  return `row-${id}`
}

/** Dates of a link as in responses. */
export type DateTexts = Pick<Link, 'createdAt' | 'expiresAt' | 'maxLifetimeAt'> & {
  purgingAt: string | null
}

/** Returns a link's dates as `Date` objects. */
export function linkDates(link: DateTexts): LinkDates & LifelineDates {
  return {
    createdAt: new Date(link.createdAt),
    expiresAt: new Date(link.expiresAt),
    maxLifetimeAt: new Date(link.maxLifetimeAt),
    purgingAt: link.purgingAt === null ? null : new Date(link.purgingAt),
  }
}

/** The exact time behind a label such as '3 days left'. */
export interface LinkEnd {
  at: Date
  /** A label with the time in the browser's time zone, such as 'Until Tue 24 Nov, 14:02'. */
  text: string
}

/**
 * Returns the time that the link's label (spec §4) counts down to: when an active link expires, or
 * when a private link can no longer be renewed. For a deleted link, returns when it ended.
 * @param takenDownAt when the link's files were taken down; null if they were not.
 */
export function getLinkEnd(
  dates: LinkDates,
  takenDownAt: Date | null,
  tier: Tier,
  now: Date,
): LinkEnd {
  const { expiresAt, maxLifetimeAt } = dates
  const createLinkEnd = (prefix: string, at: Date) => ({
    at,
    text: `${prefix} ${localTimestampText(at, now)}`,
  })
  switch (linkStatus(dates, tier, now)) {
    case 'active':
      return createLinkEnd('Until', expiresAt)
    case 'private':
      return createLinkEnd('Can be renewed until', maxLifetimeAt)
    case 'deleted':
      // A takedown ends a link before it would have expired.
      return createLinkEnd(
        'Ended',
        takenDownAt !== null && takenDownAt < expiresAt ? takenDownAt : expiresAt,
      )
  }
}
