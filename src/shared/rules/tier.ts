/** Spec §3: what an account may use. The administrator is a role, not a tier. */
export const tiers = ['free', 'premium'] as const
export type Tier = (typeof tiers)[number]

/**
 * A stored tier as what it is.
 * @throws {RangeError} for a tier that this program does not know: nobody may be taken for free, and
 * lose bytes by it, because a newer program wrote the row.
 */
export function readTier(stored: string): Tier {
  const tier = tiers.find((known) => known === stored)
  if (tier === undefined) throw new RangeError(`Unknown tier: ${stored}`)
  return tier
}
