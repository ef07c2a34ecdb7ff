import { dayInMs, hourInMs } from '../format/units.ts'
import { type TimeTone, timeLeftText, timeTone } from '../links/link-status.ts'
import { defaultTier, type Tier, tiers } from './tier.ts'

/** Duration of a trial in days (spec §9). */
export const trialDays = 30
const trialMs = trialDays * dayInMs

/**
 * The dashboard's URL for users who chose the trial on the landing page. Login and signup redirect
 * to it. The dashboard then shows the trial offer at the top, but starts the trial only after a
 * click.
 */
export const trialOfferPath = '/?trial=offer'

/**
 * A user's tier as stored. If the tier is `premium` and `premiumTrialEndsAt` is set, the user has
 * Premium only until that date.
 */
export interface StoredTier {
  tier: Tier | null | undefined
  /** When the user's only trial began. Null if there was none. */
  premiumTrialStartedAt: Date | null
  /**
   * When the trial ends or ended. Null if there was no trial, if a switch ended it early, or if the
   * user got Premium again afterward.
   */
  premiumTrialEndsAt: Date | null
}

/**
 * Returns the tier that applies at `now`. From a trial's end date on, the tier is free, even if no
 * job has updated the database yet. Premium without an end date is permanent.
 * @throws {RangeError} for an unknown tier.
 */
export function effectiveTier({ tier, premiumTrialEndsAt }: StoredTier, now: Date): Tier {
  // Spec §3: a missing tier counts as free.
  if (tier === null || tier === undefined) return defaultTier
  const isTrialOver = premiumTrialEndsAt !== null && now >= premiumTrialEndsAt
  // A newer version probably wrote this tier. If the user were treated as free, files could be
  // deleted.
  if (!tiers.includes(tier)) throw new RangeError(`Unknown tier: ${tier}`)
  return tier === 'premium' && isTrialOver ? 'free' : tier
}

/** Returns the end of a trial that begins at `now`. */
export function trialEnd(now: Date): Date {
  return new Date(now.getTime() + trialMs)
}

/** The content of the trial banner (spec §2). */
export type TrialNotice =
  | { kind: 'offer' }
  | {
      kind: 'running'
      /** The time left: '12 days left', '9 hours left' or 'Less than 1 hour left'. */
      label: string
      /** The fraction of the trial that is left, from 0 to 1. */
      fractionLeft: number
      tone: TimeTone
    }
  | { kind: 'expired' }

/**
 * Returns the content of the trial banner at `now`, or null if there is nothing to show. Spec §2:
 * it counts down days or hours and shows 'Trial expired' at the end. Spec §4: only free users who
 * have not started a trial get an offer.
 */
export function trialNotice(state: StoredTier, now: Date): TrialNotice | null {
  const { premiumTrialStartedAt, premiumTrialEndsAt } = state
  if (premiumTrialEndsAt === null) {
    const isOffered = premiumTrialStartedAt === null && effectiveTier(state, now) === 'free'
    return isOffered ? { kind: 'offer' } : null
  }
  // If the server says that the tier is free, the trial is over. The browser's clock may be slow,
  // so the end date may still seem to be in the future.
  if (effectiveTier(state, now) === 'free') return { kind: 'expired' }
  const leftMs = premiumTrialEndsAt.getTime() - now.getTime()
  const fractionLeft = Math.min(1, leftMs / trialMs)
  return {
    kind: 'running',
    label: timeLeftText(leftMs),
    fractionLeft,
    tone: timeTone(leftMs),
  }
}

/**
 * When each trial email is sent. It is due `beforeEndMs` before the trial's end, and is dropped
 * once it is `maxDelayMs` late, because its text would be wrong by then. '3 days' stays accurate
 * for half a day, because days are rounded.
 */
const emailSchedule = {
  'three-days': { beforeEndMs: 3 * dayInMs, maxDelayMs: 12 * hourInMs },
  'one-day': { beforeEndMs: dayInMs, maxDelayMs: 12 * hourInMs },
  ended: { beforeEndMs: 0, maxDelayMs: 7 * dayInMs },
} as const

export type TrialEmail = keyof typeof emailSchedule

/** All trial emails, in the order in which they are sent. */
export const trialEmails = Object.keys(emailSchedule) as readonly TrialEmail[]

/** Returns when an email is due for a trial that ends at `endsAt`. */
export function trialEmailDue(email: TrialEmail, endsAt: Date): Date {
  return new Date(endsAt.getTime() - emailSchedule[email].beforeEndMs)
}

/** True if it is too late at `now` to send this email about a trial that ends at `endsAt`. */
export function isTrialEmailStale(email: TrialEmail, endsAt: Date, now: Date): boolean {
  const lateMs = now.getTime() - trialEmailDue(email, endsAt).getTime()
  return lateMs >= emailSchedule[email].maxDelayMs
}
