/** Spec §3: what an account may use. Being the administrator is a role, not a tier. */
export const tiers = ['free', 'premium'] as const
export type Tier = (typeof tiers)[number]

/** Spec §3: a missing tier counts as free. New accounts and visitors have this tier too. */
export const defaultTier: Tier = 'free'

/**
 * Turns stored text into a tier.
 * @throws {RangeError} for a tier that this program does not know. A newer version of the program
 * may have written it. Treating its user as free could remove files.
 */
export function readTier(stored: string): Tier {
  const tier = tiers.find((known) => known === stored)
  if (tier === undefined) throw new RangeError(`Unknown tier: ${stored}`)
  return tier
}
