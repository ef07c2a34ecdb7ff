import { formatCount } from '../format/numbers.ts'
import { dayInMs, hourInMs } from '../format/units.ts'
import { type Tier, tierTraits } from '../tiers/tier.ts'

/**
 * Spec §4: an `active` link works. A `private` link has expired, but its premium owner can renew
 * it. A `deleted` link never works again.
 */
export const linkStatuses = ['active', 'private', 'deleted'] as const
export type LinkStatus = (typeof linkStatuses)[number]

export interface LinkDates {
  expiresAt: Date
  maxLifetimeAt: Date
  /** When the server began to delete the bytes. Null if it hasn't. */
  purgingAt: Date | null
}

/** True if the link works at `now`. */
export function isLinkActive(link: LinkDates, now: Date): boolean {
  return now < link.expiresAt && now < link.maxLifetimeAt && link.purgingAt === null
}

/**
 * Returns a link's status at `now`. `ownerTier` is the owner's effective tier. If the bytes are
 * gone, the link is deleted, even if its owner upgrades later.
 */
export function linkStatus(link: LinkDates, ownerTier: Tier, now: Date): LinkStatus {
  // Spec §4: from `maxLifetimeAt` on, the link is deleted.
  if (now >= link.maxLifetimeAt) return 'deleted'
  if (link.purgingAt !== null) return 'deleted'
  // Spec §4: an expired link is private if its owner is a premium user, and deleted otherwise.
  if (now >= link.expiresAt) return tierTraits[ownerTier].renewal ? 'private' : 'deleted'
  return 'active'
}

/**
 * Returns a link's label as in spec §4. The number of days left to renew is rounded up, so it is
 * never 0.
 */
export function linkLabel(link: LinkDates, ownerTier: Tier, now: Date): string {
  const msUntil = (date: Date) => date.getTime() - now.getTime()
  switch (linkStatus(link, ownerTier, now)) {
    case 'deleted':
      return now >= link.maxLifetimeAt ? 'Permanently expired' : 'Expired & deleted'
    case 'private': {
      const days = Math.ceil(msUntil(link.maxLifetimeAt) / dayInMs)
      return days === 1 ? 'Private (1 day to renew)' : `Private (${days} days to renew)`
    }
    case 'active':
      return activeLinkLabel(link, now)
  }
}

/** Returns an active link's label as in spec §4. */
export function activeLinkLabel(
  link: Pick<LinkDates, 'expiresAt' | 'maxLifetimeAt'>,
  now: Date,
): string {
  const endMs = Math.min(link.expiresAt.getTime(), link.maxLifetimeAt.getTime())
  return timeLeftText(endMs - now.getTime())
}

/**
 * Formats the time left (spec §4): '3 days left', '9 hours left' or 'Less than 1 hour left'. Days
 * are rounded to the nearest whole number, so a new link has '3 days left'. Hours are rounded down.
 */
export function timeLeftText(leftMs: number): string {
  if (leftMs >= dayInMs) return `${formatCount(Math.round(leftMs / dayInMs), 'day')} left`
  if (leftMs >= hourInMs) return `${formatCount(Math.floor(leftMs / hourInMs), 'hour')} left`
  return 'Less than 1 hour left'
}

/**
 * `calm`: 24 hours or more left. `amber`: less than 24 hours. `red`: less than 1 hour. `over`: no
 * time left.
 */
export type TimeTone = 'calm' | 'amber' | 'red' | 'over'

export function timeTone(leftMs: number): TimeTone {
  if (leftMs <= 0) return 'over'
  if (leftMs < hourInMs) return 'red'
  return leftMs < dayInMs ? 'amber' : 'calm'
}

/** True if a link expires within 24 hours (spec §2, analytics). */
export function isEndingSoon(leftMs: number): boolean {
  const tone = timeTone(leftMs)
  return tone === 'amber' || tone === 'red'
}

/** Why a renewal is rejected: a code from `errorTable`. */
export type RenewalError = 'TIER_RENEWAL' | 'FILE_GONE' | 'DOWNLOADS_USED_UP'

/** Checks whether an active or private link can be renewed at `now`. */
export function checkRenewal(
  link: LinkDates & DownloadLimit,
  ownerTier: Tier,
  now: Date,
): { ok: true } | { ok: false; code: RenewalError } {
  // Spec §4: only premium users can renew links, and only until the link is deleted.
  if (!tierTraits[ownerTier].renewal) return { ok: false, code: 'TIER_RENEWAL' }
  if (linkStatus(link, ownerTier, now) === 'deleted') return { ok: false, code: 'FILE_GONE' }
  // The new link wouldn't work either.
  if (isUsedUp(link)) return { ok: false, code: 'DOWNLOADS_USED_UP' }
  return { ok: true }
}

/** A link's downloads so far, and how many its owner allows; null if there is no limit. */
export interface DownloadLimit {
  maxDownloads: number | null
  downloadCount: number
}

/** Returns how many downloads a link has left; null if their number isn't limited. */
export function downloadsLeft({ maxDownloads, downloadCount }: DownloadLimit): number | null {
  return maxDownloads === null ? null : Math.max(0, maxDownloads - downloadCount)
}

/** True if a link has had all the downloads that its owner allows. It then works no longer. */
export function isUsedUp(link: DownloadLimit): boolean {
  return downloadsLeft(link) === 0
}

/** Names a link: by its title, or by its first file and the number of other files. */
export function linkName({
  title,
  firstFileName,
  fileCount,
}: {
  title: string | null
  firstFileName: string
  fileCount: number
}): string {
  if (title !== null) return title
  if (fileCount <= 1) return firstFileName
  return `${firstFileName} and ${fileCount - 1} more`
}
