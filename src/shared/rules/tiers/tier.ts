/** Spec §3: what an account may use. Being the administrator is a role, not a tier. */
export const tiers = ['free', 'premium'] as const
export type Tier = (typeof tiers)[number]

/** Spec §3: a missing tier counts as free. New accounts and visitors have this tier too. */
export const defaultTier: Tier = 'free'
