/** The plan of an account (spec §3). The administrator is a role, not a tier. */
export const tiers = ['free', 'premium'] as const
export type Tier = (typeof tiers)[number]

/** Spec §3: a missing tier counts as free. Also used for new accounts and visitors. */
export const defaultTier: Tier = 'free'

/**
 * A tier's name and features. Code must check these fields instead of comparing tiers. The limits
 * are in `tier-limits.ts`.
 */
export interface TierTraits {
  /** The name shown on pages and in emails. */
  name: string
  /** Whether the page header shows the tier's name beside the user. */
  hasBadge: boolean
  /** Whether expired files become private, so their links can be renewed (spec §4). */
  renewal: boolean
  fileManager: boolean
  analytics: boolean
  branding: boolean
  /** How many requests may be open at the same time; null for no limit. */
  maxOpenRequests: number | null
  /** Whether the server sends links by email for the user. */
  sendsLinks: boolean
  /** The next higher tier. Null for the highest. */
  upgradesTo: Tier | null
}

/** The name and features of each tier (spec §6). */
export const tierTraits: Readonly<Record<Tier, Readonly<TierTraits>>> = {
  free: {
    name: 'Free',
    hasBadge: false,
    renewal: false,
    fileManager: false,
    analytics: false,
    branding: false,
    maxOpenRequests: 1,
    sendsLinks: false,
    upgradesTo: 'premium',
  },
  premium: {
    name: 'Premium',
    hasBadge: true,
    renewal: true,
    fileManager: true,
    analytics: true,
    branding: true,
    maxOpenRequests: null,
    sendsLinks: true,
    upgradesTo: null,
  },
}

/** Returns the traits of the next higher tier, or null for the highest. */
export function findUpgrade(tier: Tier): Readonly<TierTraits> | null {
  const { upgradesTo } = tierTraits[tier]
  return upgradesTo && tierTraits[upgradesTo]
}
