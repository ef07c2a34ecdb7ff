import { readTier, type Tier } from './tier.ts'

/** What is stored about a user's tier. A trial end beside `premium` means premium by trial only. */
export interface TierFacts {
  tier: Tier | null | undefined
  premiumTrialStartedAt: Date | null
  /** Null for premium that is not a trial: whoever makes a user premium for good clears it. */
  premiumTrialEndsAt: Date | null
}

/**
 * The tier that counts at `now`. A trial is over from its very end on, by this rule and not by a
 * job: premium with an end at or before `now` is free, premium without an end stays premium.
 * @throws {RangeError} for a tier that this program does not know.
 */
export function effectiveTier({ tier, premiumTrialEndsAt }: TierFacts, now: Date): Tier {
  // Spec §3: a missing tier counts as free.
  if (tier === null || tier === undefined) return 'free'
  const isTrialOver = premiumTrialEndsAt !== null && now >= premiumTrialEndsAt
  return tier === 'premium' && isTrialOver ? 'free' : readTier(tier)
}
