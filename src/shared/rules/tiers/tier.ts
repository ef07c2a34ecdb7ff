/** Spec §3: what an account may use. Being the administrator is a role, not a tier. */
export const tiers = ['free', 'premium'] as const
export type Tier = (typeof tiers)[number]

/** Spec §3: a missing tier counts as free. New accounts and visitors have this tier too. */
export const defaultTier: Tier = 'free'

/**
 * What a tier is called and what its users may do. Code that asks what a user may do reads a field
 * of this record and does not compare the names of tiers. The limits of a tier are in
 * `tier-limits.ts`.
 */
export interface TierTraits {
  /** The name that pages and emails show. */
  name: string
  /** True if the page header shows the tier's name beside the user. */
  hasBadge: boolean
  /** True if expired files stay as private files and their links can be renewed (spec §4). */
  renewal: boolean
  fileManager: boolean
  analytics: boolean
  branding: boolean
  /** The next higher tier; null for the highest tier. */
  upgradesTo: Tier | null
}

/** The name of each tier and what its users may do (spec §6). */
export const tierTraits: Readonly<Record<Tier, Readonly<TierTraits>>> = {
  free: {
    name: 'Free',
    hasBadge: false,
    renewal: false,
    fileManager: false,
    analytics: false,
    branding: false,
    upgradesTo: 'premium',
  },
  premium: {
    name: 'Premium',
    hasBadge: true,
    renewal: true,
    fileManager: true,
    analytics: true,
    branding: true,
    upgradesTo: null,
  },
}

/** Returns the traits of the next higher tier; null for the highest tier. */
export function upgradeOf(tier: Tier): Readonly<TierTraits> | null {
  const { upgradesTo } = tierTraits[tier]
  return upgradesTo && tierTraits[upgradesTo]
}
