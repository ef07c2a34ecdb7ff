import { dayInMs, hourInMs } from './lifetime.ts'
import type { Tier } from './tier.ts'

/** Spec §4: `active` opens, `private` can be renewed by its premium owner, `deleted` is over. */
export type LinkStatus = 'active' | 'private' | 'deleted'

export interface LinkFacts {
  expiresAt: Date
  maxLifetimeAt: Date
  /** Since when the bytes are gone, or no longer promised because their removal has begun. */
  purgedAt: Date | null
}

/**
 * The state of a link at `now`; `ownerTier` is the owner's effective tier at `now`.
 * A link ends at the very millisecond of its date. Without bytes it is deleted whatever the dates
 * and the tier say: a file purged while its owner was free cannot come back with an upgrade.
 */
export function linkStatus(facts: LinkFacts, ownerTier: Tier, now: Date): LinkStatus {
  // Spec §4: now is at or after maxLifetimeAt: deleted.
  if (now >= facts.maxLifetimeAt) return 'deleted'
  if (facts.purgedAt !== null) return 'deleted'
  // Spec §4: now is at or after expiresAt: premium users get private, free users get deleted.
  if (now >= facts.expiresAt) return ownerTier === 'premium' ? 'private' : 'deleted'
  return 'active'
}

function counted(count: number, unit: string) {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/**
 * The words of spec §4 for a link at `now`. Time left is told in days, rounded to the nearest, so
 * that a file uploaded for 3 days says so; under 24 hours in whole hours, rounded down, so that
 * nobody who hurries comes too late. Screens show the exact moment beside it. Days to renew are
 * rounded up: as long as renewing works, the label never says 0.
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
    case 'active': {
      // Renewals never set a later expiry, but the nearer end is the true one.
      const left = Math.min(until(facts.expiresAt), until(facts.maxLifetimeAt))
      if (left >= dayInMs) return `${counted(Math.round(left / dayInMs), 'day')} left`
      if (left >= hourInMs) return `${counted(Math.floor(left / hourInMs), 'hour')} left`
      return 'Less than 1 hour left'
    }
  }
}
