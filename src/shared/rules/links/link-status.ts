import { counted } from '../format/numbers.ts'
import { dayInMs, hourInMs } from '../format/units.ts'
import { type Tier, tierTraits } from '../tiers/tier.ts'

/**
 * Spec §4: an `active` link opens. A `private` link has expired, but its premium owner can renew
 * it. A `deleted` link never opens again.
 */
export const linkStatuses = ['active', 'private', 'deleted'] as const
export type LinkStatus = (typeof linkStatuses)[number]

export interface LinkFacts {
  expiresAt: Date
  maxLifetimeAt: Date
  /**
   * When the server began to remove the bytes; null while they are kept. After that moment the
   * bytes may be gone at any time.
   */
  purgingAt: Date | null
}

/** True if a link opens at `now`. This does not depend on the tier of its owner. */
export function opens(facts: LinkFacts, now: Date): boolean {
  return now < facts.expiresAt && now < facts.maxLifetimeAt && facts.purgingAt === null
}

/**
 * Returns the status of a link at `now`; `ownerTier` is the owner's effective tier at `now`. A link
 * ends at the exact millisecond of its date. A link without bytes is deleted, even if the dates and
 * the tier would allow more. So a file whose bytes were removed while its owner was free stays
 * deleted after an upgrade.
 */
export function linkStatus(facts: LinkFacts, ownerTier: Tier, now: Date): LinkStatus {
  // Spec §4: now is at or after maxLifetimeAt: deleted.
  if (now >= facts.maxLifetimeAt) return 'deleted'
  if (facts.purgingAt !== null) return 'deleted'
  // Spec §4: now is at or after expiresAt: premium users get private, free users get deleted.
  if (now >= facts.expiresAt) return tierTraits[ownerTier].renewal ? 'private' : 'deleted'
  return 'active'
}

/**
 * Returns the label of spec §4 for a link at `now`. Screens show the exact moment beside it. Days
 * to renew are rounded up, so that the label never says 0 while renewing works.
 */
export function linkLabel(facts: LinkFacts, ownerTier: Tier, now: Date): string {
  const until = (moment: Date) => moment.getTime() - now.getTime()
  switch (linkStatus(facts, ownerTier, now)) {
    case 'deleted':
      return now >= facts.maxLifetimeAt ? 'Permanently expired' : 'Expired & deleted'
    case 'private': {
      const days = Math.ceil(until(facts.maxLifetimeAt) / dayInMs)
      return days === 1 ? 'Private (1 day to renew)' : `Private (${days} days to renew)`
    }
    case 'active':
      return openLinkLabel(facts, now)
  }
}

/** Returns the label of spec §4 for a link that opens: how long it still opens. */
export function openLinkLabel(
  facts: Pick<LinkFacts, 'expiresAt' | 'maxLifetimeAt'>,
  now: Date,
): string {
  // No renewal sets an expiry after the longest life. To be safe, this code takes the earlier
  // of the two dates.
  const end = Math.min(facts.expiresAt.getTime(), facts.maxLifetimeAt.getTime())
  return timeLeftText(end - now.getTime())
}

/**
 * Returns the first moment after `now` at which `linkLabel` returns another text, or null when it
 * never does. Status and tone change only at such moments.
 */
export function nextLabelChange(facts: LinkFacts, ownerTier: Tier, now: Date): Date | null {
  const gone = facts.maxLifetimeAt.getTime()
  switch (linkStatus(facts, ownerTier, now)) {
    case 'deleted':
      return now >= facts.maxLifetimeAt ? null : facts.maxLifetimeAt
    case 'private': {
      const days = Math.ceil((gone - now.getTime()) / dayInMs)
      return new Date(gone - (days - 1) * dayInMs)
    }
    case 'active': {
      const end = Math.min(facts.expiresAt.getTime(), gone)
      // The text changes one millisecond after the last moment at which it is true.
      return new Date(end - leastLeftOfText(end - now.getTime()) + 1)
    }
  }
}

/**
 * Returns how much time is left, in the words of spec §4: '3 days left', '9 hours left' or 'Less
 * than 1 hour left'. Days are rounded to the nearest, so that a file uploaded for 3 days says '3
 * days left'. Below 24 hours, hours are rounded down, so that the text never promises too much.
 */
export function timeLeftText(leftMs: number): string {
  if (leftMs >= dayInMs) return `${counted(Math.round(leftMs / dayInMs), 'day')} left`
  if (leftMs >= hourInMs) return `${counted(Math.floor(leftMs / hourInMs), 'hour')} left`
  return 'Less than 1 hour left'
}

/**
 * Returns the shortest time above 0, in milliseconds, for which `timeLeftText` returns the same
 * text as for `leftMs`.
 */
function leastLeftOfText(leftMs: number): number {
  if (leftMs >= dayInMs) return Math.max(dayInMs, (Math.round(leftMs / dayInMs) - 0.5) * dayInMs)
  if (leftMs >= hourInMs) return Math.floor(leftMs / hourInMs) * hourInMs
  return 1
}

/**
 * How urgent the remaining time is. It decides the colour. `calm`: 24 hours or more. `amber`: less.
 * `red`: less than 1 hour. `over`: no time left.
 */
export type TimeTone = 'calm' | 'amber' | 'red' | 'over'

/** Returns how urgent this much time is, in milliseconds. The bounds are those of `TimeTone`. */
export function timeTone(leftMs: number): TimeTone {
  if (leftMs <= 0) return 'over'
  if (leftMs < hourInMs) return 'red'
  return leftMs < dayInMs ? 'amber' : 'calm'
}

/** Spec §2, analytics: true if a link with this much time left ends within 24 hours. */
export function isEndingSoon(leftMs: number): boolean {
  const tone = timeTone(leftMs)
  return tone === 'amber' || tone === 'red'
}

/** Error codes of `errorTable`. */
export type RenewalRefusal = 'TIER_RENEWAL' | 'FILE_GONE'

/**
 * Decides whether the link of a file can be renewed at the moment `now`. Returns the code of the
 * error if not. An active link can be renewed too. A private link can be renewed until the file's
 * longest life ends, up to the last millisecond.
 */
export function checkRenewal(
  facts: LinkFacts,
  ownerTier: Tier,
  now: Date,
): { ok: true } | { ok: false; code: RenewalRefusal } {
  // Spec §4: renewing is premium-only and disabled when deleted.
  if (!tierTraits[ownerTier].renewal) return { ok: false, code: 'TIER_RENEWAL' }
  if (linkStatus(facts, ownerTier, now) === 'deleted') return { ok: false, code: 'FILE_GONE' }
  return { ok: true }
}
