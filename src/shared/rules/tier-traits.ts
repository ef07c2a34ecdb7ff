import type { Tier } from './tier.ts'

/**
 * What a tier is and what its users may do. Code asks a field of this record and never compares
 * names of tiers. The numbers of a tier are its limits (`tier-limits.ts`).
 */
export interface TierTraits {
  /** The name that people read. */
  name: string
  /** True when the page header shows the tier's name beside the user. */
  hasBadge: boolean
  /** True if expired files are kept as private and their links can be renewed (spec §4). */
  renewal: boolean
  fileManager: boolean
  analytics: boolean
  branding: boolean
  /** The next higher tier; null for the highest tier. */
  upgradesTo: Tier | null
}

/** Spec §6: what the users of each tier may do. */
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
