import { defaultExpirationDays } from './lifetime.ts'
import { type Tier, tiers } from './tier.ts'
import { tierTraits } from './tier-traits.ts'

const megabyte = 1024 ** 2
const gigabyte = 1024 ** 3

/** The numbers of a tier. */
export interface TierLimits {
  /** How many files a user may have at the same time, open uploads included; null for no limit. */
  maxFiles: number | null
  /** In bytes. */
  maxFileSize: number
  /** The days that a user can choose from, in ascending order. There is at least one choice. */
  expirationDays: readonly number[]
  /** For how many days a file can be kept, regardless of renewals. */
  maxLifetimeDays: number
}

/**
 * The limits of every tier. Those in force are settings (`limit-settings.ts`), so each rule gets
 * them as an argument.
 */
export type Limits = Readonly<Record<Tier, Readonly<TierLimits>>>

/**
 * The limits until the administrator changes them. Spec §9: free 3 files, 500MB per file, 3-day
 * expiry; premium unlimited, 1GB, 3, 5 or 7 days; 30 days at most for any file.
 */
export const defaultLimits: Limits = {
  free: {
    maxFiles: 3,
    maxFileSize: 500 * megabyte,
    expirationDays: [3],
    maxLifetimeDays: 30,
  },
  premium: {
    maxFiles: null,
    maxFileSize: gigabyte,
    expirationDays: [3, 5, 7],
    maxLifetimeDays: 30,
  },
}

/** Returns the largest file that any tier allows, in bytes. */
export function largestFileSize(limits: Limits): number {
  return Math.max(...tiers.map((tier) => limits[tier].maxFileSize))
}

/**
 * Returns the largest number of files that any tier with a limit of files allows; 0 if none has a
 * limit. A user who has more files has no limit.
 */
export function largestFileCount(limits: Limits): number {
  return Math.max(...tiers.map((tier) => limits[tier].maxFiles ?? 0))
}

/** Returns the next higher tier if it takes larger files than this one; otherwise null. */
export function tierOfLargerFiles(tier: Tier, limits: Limits): Tier | null {
  const { upgradesTo } = tierTraits[tier]
  if (upgradesTo === null) return null
  return limits[upgradesTo].maxFileSize > limits[tier].maxFileSize ? upgradesTo : null
}

/** Returns the days that at least one tier offers, in ascending order. */
export function daysOffered(limits: Limits): number[] {
  const offered = new Set(tiers.flatMap((tier) => limits[tier].expirationDays))
  return [...offered].sort((a, b) => a - b)
}

/**
 * Returns the days that are selected before a user chooses: the wanted ones if the tier offers
 * them, else the default of spec §9, else the fewest days of the tier.
 */
export function selectedDays(
  { expirationDays }: Pick<TierLimits, 'expirationDays'>,
  wanted: number = defaultExpirationDays,
): number {
  const found = [wanted, defaultExpirationDays].find((days) => expirationDays.includes(days))
  return found ?? expirationDays[0] ?? defaultExpirationDays
}

/** True when a user with this limit of files who has `filesInUse` files may have one more. */
export function hasRoom(maxFiles: number | null, filesInUse: number): boolean {
  return maxFiles === null || filesInUse < maxFiles
}

/** Error codes of `errorTable`. INVALID_INPUT means that no tier offers these days. */
export type DaysRefusal = 'INVALID_INPUT' | 'TIER_EXPIRATION'

/** Returns why a tier does not offer these expiration days; null when it does. */
export function checkDays(days: number, tier: Tier, limits: Limits): DaysRefusal | null {
  if (limits[tier].expirationDays.includes(days)) return null
  return daysOffered(limits).includes(days) ? 'TIER_EXPIRATION' : 'INVALID_INPUT'
}

/** The upload that a user wants to start. Sizes are in bytes. */
export interface UploadWish {
  tier: Tier
  fileSize: number
  expirationDays: number
  /** How many active files and open uploads the owner has, without this upload. */
  filesInUse: number
}

/** Error codes of `errorTable`. Their texts name the limits. */
export type UploadRefusal = DaysRefusal | 'FILE_TOO_LARGE' | 'TIER_FILE_SIZE' | 'TIER_FILE_COUNT'

/**
 * Decides whether a tier allows an upload. Returns the code of the error, or null when the upload
 * is allowed. When several codes apply, it returns the first of these: no tier offers the days, the
 * file is too large for every tier, too large for this tier, this tier does not offer the days,
 * there are too many files.
 */
export function checkUpload(wish: UploadWish, limits: Limits): UploadRefusal | null {
  const { maxFiles, maxFileSize } = limits[wish.tier]
  const days = checkDays(wish.expirationDays, wish.tier, limits)
  if (days === 'INVALID_INPUT') return days
  // Spec §5: maximum file size 500MB for free users, 1GB for premium.
  if (wish.fileSize > largestFileSize(limits)) return 'FILE_TOO_LARGE'
  if (wish.fileSize > maxFileSize) return 'TIER_FILE_SIZE'
  // Spec §5: free users can only choose a 3-day expiration.
  if (days !== null) return days
  // Spec §1: free, 3 files at most.
  return hasRoom(maxFiles, wish.filesInUse) ? null : 'TIER_FILE_COUNT'
}
