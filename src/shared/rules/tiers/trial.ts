import { dayInMs, hourInMs } from '../format/units.ts'
import { type TimeTone, timeLeftText, timeTone } from '../links/link-status.ts'
import { defaultTier, type Tier, tiers } from './tier.ts'

/** Spec §9: how long a trial lasts, in days. */
export const trialDays = 30
const trialMs = trialDays * dayInMs

/**
 * The address of the dashboard for somebody who chose the trial on the landing page. Signup and
 * login lead there. The dashboard then offers the trial first, and starts it only after a click.
 */
export const trialOfferPath = '/?trial=offer'

/**
 * What the database says about a user's tier. `premium` together with `premiumTrialEndsAt` means
 * premium only until that end.
 */
export interface TierFacts {
  tier: Tier | null | undefined
  /** When the one trial of this user began; null if the user has had none. */
  premiumTrialStartedAt: Date | null
  /**
   * When the trial ends or ended. Null if there was no trial, if a switch of tier ended it early,
   * or if the user became premium again after it.
   */
  premiumTrialEndsAt: Date | null
}

/**
 * Returns the tier that applies at `now`. A trial ends exactly at its end date, even if no job has
 * changed the database yet. So premium with an end at or before `now` is free. Premium without an
 * end stays premium.
 * @throws {RangeError} for a tier that this program does not know.
 */
export function effectiveTier({ tier, premiumTrialEndsAt }: TierFacts, now: Date): Tier {
  // Spec §3: a missing tier counts as free.
  if (tier === null || tier === undefined) return defaultTier
  const isTrialOver = premiumTrialEndsAt !== null && now >= premiumTrialEndsAt
  // A newer version may have written it. Treating its user as free could remove files.
  if (!tiers.includes(tier)) throw new RangeError(`Unknown tier: ${tier}`)
  return tier === 'premium' && isTrialOver ? 'free' : tier
}

/** Returns the end of a trial that begins at `now`. */
export function trialEnd(now: Date): Date {
  return new Date(now.getTime() + trialMs)
}

/** What the trial banner shows (spec §2). */
export type TrialNotice =
  | { kind: 'offer' }
  | {
      kind: 'running'
      /** '12 days left', '9 hours left' or 'Less than 1 hour left'. */
      label: string
      /** The fraction of the 30 days that is left, from 0 to 1. */
      left: number
      tone: TimeTone
    }
  | { kind: 'expired' }

/**
 * Returns what the trial banner shows at `now`; null if it shows nothing. Spec §2: it counts down
 * days or hours and shows 'Trial expired' at the end. Spec §4: the trial is offered only to free
 * users who have not started one before.
 */
export function trialNotice(facts: TierFacts, now: Date): TrialNotice | null {
  const { premiumTrialStartedAt, premiumTrialEndsAt } = facts
  if (premiumTrialEndsAt === null) {
    const isOffered = premiumTrialStartedAt === null && effectiveTier(facts, now) === 'free'
    return isOffered ? { kind: 'offer' } : null
  }
  // A browser's clock may be slow. So a tier that the server sent as free counts, even before the
  // end date.
  if (effectiveTier(facts, now) === 'free') return { kind: 'expired' }
  const leftMs = premiumTrialEndsAt.getTime() - now.getTime()
  const left = Math.min(1, leftMs / trialMs)
  return { kind: 'running', label: timeLeftText(leftMs), left, tone: timeTone(leftMs) }
}

/**
 * When each email about a trial is sent: `beforeEndMs` before the trial's end. An email that is
 * late by `goodForMs` is not sent any more, because its text would be wrong or old news by then.
 * The text '3 days' is right for half a day, because days are rounded.
 */
const emailTimes = {
  'three-days': { beforeEndMs: 3 * dayInMs, goodForMs: 12 * hourInMs },
  'one-day': { beforeEndMs: dayInMs, goodForMs: 12 * hourInMs },
  ended: { beforeEndMs: 0, goodForMs: 7 * dayInMs },
} as const

export type TrialEmail = keyof typeof emailTimes

/** Every email about a trial, in the order in which they are sent. */
export const trialEmails = Object.keys(emailTimes) as readonly TrialEmail[]

/** Returns when an email about a trial that ends at `endsAt` is to be sent. */
export function trialEmailDue(about: TrialEmail, endsAt: Date): Date {
  return new Date(endsAt.getTime() - emailTimes[about].beforeEndMs)
}

/** True if it is too late at `now` to send an email about a trial that ends at `endsAt`. */
export function isTrialEmailStale(about: TrialEmail, endsAt: Date, now: Date): boolean {
  const lateMs = now.getTime() - trialEmailDue(about, endsAt).getTime()
  return lateMs >= emailTimes[about].goodForMs
}
