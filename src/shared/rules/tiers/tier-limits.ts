import { formatSizeLimit } from '../format/file-size.ts'
import { anyOf } from '../format/numbers.ts'
import { gibibyte, mebibyte } from '../format/units.ts'
import { defaultExpirationDays } from '../links/lifetime.ts'
import { type Tier, tiers, tierTraits } from './tier.ts'

/** The limits of a tier, in numbers. */
export interface TierLimits {
  /**
   * How many files a user may have at the same time, including open uploads. null means no limit.
   */
  maxFiles: number | null
  /** In bytes. */
  maxFileSize: number
  /** The days from which a user can choose, in ascending order. There is at least one. */
  expirationDays: readonly number[]
  /** How many days a file is kept at most after its upload, even if its link is renewed. */
  maxLifetimeDays: number
}

/** The limits of every tier. The administrator can change them, so rules take them as argument. */
export type Limits = Readonly<Record<Tier, Readonly<TierLimits>>>

/** Spec §9: free 3 files, 500MB, 3 days; premium unlimited, 1GB, 3, 5 or 7 days; 30 days in all. */
export const defaultLimits: Limits = {
  free: {
    maxFiles: 3,
    maxFileSize: 500 * mebibyte,
    expirationDays: [3],
    maxLifetimeDays: 30,
  },
  premium: {
    maxFiles: null,
    maxFileSize: gibibyte,
    expirationDays: [3, 5, 7],
    maxLifetimeDays: 30,
  },
}

/** Returns the size of the largest file in any tier. */
export function largestFileSize(limits: Limits): number {
  return Math.max(...tiers.map((tier) => limits[tier].maxFileSize))
}

/** Returns the next tier if it allows larger files; otherwise null. */
export function tierOfLargerFiles(tier: Tier, limits: Limits): Tier | null {
  const { upgradesTo } = tierTraits[tier]
  if (upgradesTo === null) return null
  return limits[upgradesTo].maxFileSize > limits[tier].maxFileSize ? upgradesTo : null
}

/** Returns all days that at least one tier offers, in ascending order. */
export function daysOffered(limits: Limits): number[] {
  const offered = new Set(tiers.flatMap((tier) => limits[tier].expirationDays))
  return [...offered].sort((a, b) => a - b)
}

/** Returns the days that a form preselects: the wanted ones, the default, or the fewest. */
export function selectedDays(
  { expirationDays }: Pick<TierLimits, 'expirationDays'>,
  wanted: number = defaultExpirationDays,
): number {
  const found = [wanted, defaultExpirationDays].find((days) => expirationDays.includes(days))
  return found ?? expirationDays[0] ?? defaultExpirationDays
}

/** Whether a user with this many files may have one more. */
export function hasRoom(maxFiles: number | null, filesInUse: number): boolean {
  return maxFiles === null || filesInUse < maxFiles
}

/** Why days are refused. INVALID_INPUT: no tier offers them. */
export type DaysRefusal = 'INVALID_INPUT' | 'TIER_EXPIRATION'

/** Returns why a tier refuses these days; null if it offers them. */
export function checkDays(days: number, tier: Tier, limits: Limits): DaysRefusal | null {
  if (limits[tier].expirationDays.includes(days)) return null
  return daysOffered(limits).includes(days) ? 'TIER_EXPIRATION' : 'INVALID_INPUT'
}

/** The upload that a user wants to start. Sizes are in bytes. */
export interface PlannedUpload {
  tier: Tier
  fileSize: number
  expirationDays: number
  /** How many active files and open uploads the owner has, without this upload. */
  filesInUse: number
}

export type UploadRefusal = DaysRefusal | 'FILE_TOO_LARGE' | 'TIER_FILE_SIZE' | 'TIER_FILE_COUNT'

/** Returns the first reason why a tier refuses an upload; null if it allows it. */
export function checkUpload(upload: PlannedUpload, limits: Limits): UploadRefusal | null {
  const { maxFiles, maxFileSize } = limits[upload.tier]
  const days = checkDays(upload.expirationDays, upload.tier, limits)
  if (days === 'INVALID_INPUT') return days
  // Spec §5: files over the tier's limit are refused. If no tier takes the file, the error must not
  // offer an upgrade.
  if (upload.fileSize > largestFileSize(limits)) return 'FILE_TOO_LARGE'
  if (upload.fileSize > maxFileSize) return 'TIER_FILE_SIZE'
  // Spec §5: a user can only choose days that the tier offers.
  if (days !== null) return days
  // Spec §9: a tier may limit the number of files.
  return hasRoom(maxFiles, upload.filesInUse) ? null : 'TIER_FILE_COUNT'
}

/** '3 files', '1 file', 'unlimited files'. */
export function filesText(maxFiles: number | null): string {
  if (maxFiles === null) return 'unlimited files'
  return maxFiles === 1 ? '1 file' : `${maxFiles.toLocaleString('en')} files`
}

/** '3, 5 or 7 days', '1 day'. */
export function daysText(...days: readonly number[]): string {
  return `${anyOf(days)} ${days.length === 1 && days[0] === 1 ? 'day' : 'days'}`
}

/** '2 of 3 left', 'None left: delete files to make room'. */
export function filesLeftText(maxFiles: number, active: number): string {
  const left = maxFiles - active
  if (left <= 0) return 'None left: delete files to make room'
  return `${left.toLocaleString('en')} of ${maxFiles.toLocaleString('en')} left`
}

/** '3 files at most, 500MB each, for 3 days'. */
export function limitsText({ maxFiles, maxFileSize, expirationDays }: TierLimits): string {
  const files = maxFiles === null ? filesText(null) : `${filesText(maxFiles)} at most`
  return `${files}, ${formatSizeLimit(maxFileSize)} each, for ${daysText(...expirationDays)}`
}
