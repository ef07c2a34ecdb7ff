import { type ExpirationDays, expirationDays } from './lifetime.ts'
import { type Tier, tiers } from './tier.ts'

const megabyte = 1024 ** 2
const gigabyte = 1024 ** 3

export interface TierLimits {
  /** How many files a user may have at the same time, open uploads included; null for no limit. */
  maxFiles: number | null
  /** In bytes. */
  maxFileSize: number
  expirationDays: readonly ExpirationDays[]
}

/** Spec §9: free 3 files, 500MB per file, 3-day expiry; premium unlimited, 1GB, 3, 5 or 7 days. */
export const tierLimits: Readonly<Record<Tier, Readonly<TierLimits>>> = {
  free: { maxFiles: 3, maxFileSize: 500 * megabyte, expirationDays: [3] },
  premium: { maxFiles: null, maxFileSize: gigabyte, expirationDays },
}

/** The largest file that any tier may upload, in bytes. */
const maxFileSize = Math.max(...tiers.map((tier) => tierLimits[tier].maxFileSize))

/** The upload that a user wants to start. Sizes are in bytes. */
export interface UploadWish {
  tier: Tier
  fileSize: number
  expirationDays: ExpirationDays
  /** The owner's active files and open uploads, without this one. */
  filesInUse: number
}

/** Codes from the contract's table of errors. Their texts name the limits. */
export type UploadRefusal =
  | 'FILE_TOO_LARGE'
  | 'TIER_FILE_SIZE'
  | 'TIER_EXPIRATION'
  | 'TIER_FILE_COUNT'

/** True when a user of this tier may have one more file besides `filesInUse`. */
export function hasRoom(tier: Tier, filesInUse: number): boolean {
  const { maxFiles } = tierLimits[tier]
  return maxFiles === null || filesInUse < maxFiles
}

/**
 * Decides whether a tier allows an upload. If not, it names the error to answer with. When several
 * reasons apply, the one that no upgrade cures comes first. Then come those that the user can
 * change for this file.
 */
export function checkUpload(wish: UploadWish): { ok: true } | { ok: false; code: UploadRefusal } {
  const limits = tierLimits[wish.tier]
  // Spec §5: maximum file size 500MB for free users, 1GB for premium.
  if (wish.fileSize > maxFileSize) return { ok: false, code: 'FILE_TOO_LARGE' }
  if (wish.fileSize > limits.maxFileSize) return { ok: false, code: 'TIER_FILE_SIZE' }
  // Spec §5: free users can only choose a 3-day expiration.
  if (!limits.expirationDays.includes(wish.expirationDays)) {
    return { ok: false, code: 'TIER_EXPIRATION' }
  }
  // Spec §1: free, 3 files at most.
  if (!hasRoom(wish.tier, wish.filesInUse)) return { ok: false, code: 'TIER_FILE_COUNT' }
  return { ok: true }
}
