import { readTier, type Tier } from './tier.ts'

/**
 * What the database says about a user's tier. `premium` with the end of a trial means premium only
 * by trial.
 */
export interface TierFacts {
  tier: Tier | null | undefined
  premiumTrialStartedAt: Date | null
  /**
   * The end of the trial. Null for premium without a trial: making a user premium for good clears
   * it.
   */
  premiumTrialEndsAt: Date | null
}

/**
 * Returns the tier that applies at `now`. A trial ends at its exact end date by this rule, without
 * a job: premium whose end is at or before `now` is free, premium without an end stays premium.
 * @throws {RangeError} for a tier that this program does not know.
 */
export function effectiveTier({ tier, premiumTrialEndsAt }: TierFacts, now: Date): Tier {
  // Spec §3: a missing tier counts as free.
  if (tier === null || tier === undefined) return 'free'
  const isTrialOver = premiumTrialEndsAt !== null && now >= premiumTrialEndsAt
  return tier === 'premium' && isTrialOver ? 'free' : readTier(tier)
}
