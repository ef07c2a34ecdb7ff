import { type ExpirationDays, expirationDays } from './lifetime.ts'
import { type Tier, tiers } from './tier.ts'

const megabyte = 1024 ** 2
const gigabyte = 1024 ** 3

/** What a tier allows. Code asks a field of this record and never compares names of tiers. */
export interface TierLimits {
  /** The name that people read. */
  name: string
  /** True when the page header shows the tier's name beside the user. */
  hasBadge: boolean
  /** How many files a user may have at the same time, open uploads included; null for no limit. */
  maxFiles: number | null
  /** In bytes. */
  maxFileSize: number
  expirationDays: readonly ExpirationDays[]
  /** True if expired files are kept as private and their links can be renewed (spec §4). */
  renewal: boolean
  fileManager: boolean
  analytics: boolean
  branding: boolean
  /** The next higher tier; null for the highest tier. */
  upgradesTo: Tier | null
}

/** Spec §9: free 3 files, 500MB per file, 3-day expiry; premium unlimited, 1GB, 3, 5 or 7 days. */
export const tierLimits: Readonly<Record<Tier, Readonly<TierLimits>>> = {
  free: {
    name: 'Free',
    hasBadge: false,
    maxFiles: 3,
    maxFileSize: 500 * megabyte,
    expirationDays: [3],
    renewal: false,
    fileManager: false,
    analytics: false,
    branding: false,
    upgradesTo: 'premium',
  },
  premium: {
    name: 'Premium',
    hasBadge: true,
    maxFiles: null,
    maxFileSize: gigabyte,
    expirationDays,
    renewal: true,
    fileManager: true,
    analytics: true,
    branding: true,
    upgradesTo: null,
  },
}

/** The largest file that any tier allows, in bytes. */
export const largestFileSize = Math.max(...tiers.map((tier) => tierLimits[tier].maxFileSize))

/** Returns the limits of the next higher tier; null for the highest tier. */
export function upgradeOf(tier: Tier): Readonly<TierLimits> | null {
  const { upgradesTo } = tierLimits[tier]
  return upgradesTo && tierLimits[upgradesTo]
}

/** The upload that a user wants to start. Sizes are in bytes. */
export interface UploadWish {
  tier: Tier
  fileSize: number
  expirationDays: ExpirationDays
  /** How many active files and open uploads the owner has, without this upload. */
  filesInUse: number
}

/** Error codes of `errorTable`. Their texts name the limits. */
export type UploadRefusal =
  | 'FILE_TOO_LARGE'
  | 'TIER_FILE_SIZE'
  | 'TIER_EXPIRATION'
  | 'TIER_FILE_COUNT'

/** True when a user of this tier who has `filesInUse` files may have one more. */
export function hasRoom(tier: Tier, filesInUse: number): boolean {
  const { maxFiles } = tierLimits[tier]
  return maxFiles === null || filesInUse < maxFiles
}

/**
 * Decides whether a tier allows an upload. If not, it returns the code of the error. When several
 * codes apply, it returns the first of these: the file is too large for every tier, too large for
 * this tier, the expiration is not allowed, there are too many files.
 */
export function checkUpload(wish: UploadWish): { ok: true } | { ok: false; code: UploadRefusal } {
  const limits = tierLimits[wish.tier]
  // Spec §5: maximum file size 500MB for free users, 1GB for premium.
  if (wish.fileSize > largestFileSize) return { ok: false, code: 'FILE_TOO_LARGE' }
  if (wish.fileSize > limits.maxFileSize) return { ok: false, code: 'TIER_FILE_SIZE' }
  // Spec §5: free users can only choose a 3-day expiration.
  if (!limits.expirationDays.includes(wish.expirationDays)) {
    return { ok: false, code: 'TIER_EXPIRATION' }
  }
  // Spec §1: free, 3 files at most.
  if (!hasRoom(wish.tier, wish.filesInUse)) return { ok: false, code: 'TIER_FILE_COUNT' }
  return { ok: true }
}
