import { formatSizeLimit } from '../format/file-size.ts'
import { groupDigits, joinWithOr } from '../format/numbers.ts'
import { gibibyte, mebibyte } from '../format/units.ts'
import { defaultExpirationDays } from '../links/lifetime.ts'
import { type Tier, tiers, tierTraits } from './tier.ts'

/** The limits that apply to a tier's users. */
export interface TierLimits {
  /** Maximum number of active files and open uploads combined. Null means no limit. */
  maxFiles: number | null
  /** Maximum size of a file, in bytes. */
  maxFileSize: number
  /** The periods after which a link can expire, in days, in ascending order. Never empty. */
  expirationDays: readonly number[]
  /** Maximum number of days from upload to deletion, including renewals. */
  maxLifetimeDays: number
}

/**
 * The limits of every tier. Functions take them as an argument, because the administrator can
 * change them.
 */
export type Limits = Readonly<Record<Tier, Readonly<TierLimits>>>

/** The defaults from spec §9. */
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

/** Returns the largest file size that any tier allows. */
export function largestFileSize(limits: Limits): number {
  return Math.max(...tiers.map((tier) => limits[tier].maxFileSize))
}

/** Returns the next tier if it allows larger files, otherwise null. */
export function tierForLargerFiles(tier: Tier, limits: Limits): Tier | null {
  const { upgradesTo } = tierTraits[tier]
  if (upgradesTo === null) return null
  return limits[upgradesTo].maxFileSize > limits[tier].maxFileSize ? upgradesTo : null
}

/** Returns the numbers of days that at least one tier offers, in ascending order. */
export function offeredDays(limits: Limits): number[] {
  const allDays = new Set(tiers.flatMap((tier) => limits[tier].expirationDays))
  return [...allDays].sort((a, b) => a - b)
}

/**
 * Returns the number of days to preselect in a form: the requested number if the tier offers it,
 * otherwise the default, or the lowest number if the tier doesn't offer the default either.
 */
export function selectedDays(
  { expirationDays }: Pick<TierLimits, 'expirationDays'>,
  requestedDays: number = defaultExpirationDays,
): number {
  const matchingDays = [requestedDays, defaultExpirationDays].find((days) =>
    expirationDays.includes(days),
  )
  return matchingDays ?? expirationDays[0] ?? defaultExpirationDays
}

/** True if a user who has `usedFileCount` files can add another. */
export function canAddFile(maxFiles: number | null, usedFileCount: number): boolean {
  return maxFiles === null || usedFileCount < maxFiles
}

/** Why a number of days is rejected. `INVALID_INPUT` means that no tier offers it. */
export type DaysError = 'INVALID_INPUT' | 'TIER_EXPIRATION'

/** Returns why a tier rejects this number of days, or null if the tier offers it. */
export function checkDays(days: number, tier: Tier, limits: Limits): DaysError | null {
  if (limits[tier].expirationDays.includes(days)) return null
  return offeredDays(limits).includes(days) ? 'TIER_EXPIRATION' : 'INVALID_INPUT'
}

/** A request to start an upload. Sizes are in bytes. */
export interface PlannedUpload {
  tier: Tier
  fileSize: number
  /** Undefined for a file that is added to an existing link. */
  expirationDays: number | undefined
  /** How many active files and open uploads the owner has, excluding this upload. */
  filesInUse: number
}

export type UploadLimitError = DaysError | 'FILE_TOO_LARGE' | 'TIER_FILE_SIZE' | 'TIER_FILE_COUNT'

/**
 * Returns the first reason for which a tier rejects an upload, or null if the upload is allowed.
 */
export function checkUpload(upload: PlannedUpload, limits: Limits): UploadLimitError | null {
  const { maxFiles, maxFileSize } = limits[upload.tier]
  const { expirationDays } = upload
  const daysError =
    expirationDays === undefined ? null : checkDays(expirationDays, upload.tier, limits)
  if (daysError === 'INVALID_INPUT') return daysError
  // Spec §5: files over the tier's limit are rejected. The error suggests no upgrade if no tier
  // accepts the file.
  if (upload.fileSize > largestFileSize(limits)) return 'FILE_TOO_LARGE'
  if (upload.fileSize > maxFileSize) return 'TIER_FILE_SIZE'
  // Spec §5: users can only choose a number of days that their tier offers.
  if (daysError !== null) return daysError
  // Spec §9: a tier may limit the number of files.
  return canAddFile(maxFiles, upload.filesInUse) ? null : 'TIER_FILE_COUNT'
}

/** Formats a limit on the number of files, such as '3 files' or 'unlimited files'. */
export function filesText(maxFiles: number | null): string {
  if (maxFiles === null) return 'unlimited files'
  return maxFiles === 1 ? '1 file' : `${groupDigits(maxFiles)} files`
}

/** Formats one or more numbers of days, such as '1 day' or '3, 5 or 7 days'. */
export function daysText(...days: readonly number[]): string {
  return `${joinWithOr(days)} ${days.length === 1 && days[0] === 1 ? 'day' : 'days'}`
}

/**
 * Says how many more files a user can have, such as '2 of 3 left' or 'None left: delete files to
 * make room'.
 */
export function filesLeftText(maxFiles: number, activeFileCount: number): string {
  const remainingFileCount = maxFiles - activeFileCount
  if (remainingFileCount <= 0) return 'None left: delete files to make room'
  return `${groupDigits(remainingFileCount)} of ${groupDigits(maxFiles)} left`
}

/** Summarizes a tier's limits, such as '3 files at most, 500MB each, for 3 days'. */
export function limitsText({ maxFiles, maxFileSize, expirationDays }: TierLimits): string {
  const fileCountText = maxFiles === null ? filesText(null) : `${filesText(maxFiles)} at most`
  return `${fileCountText}, ${formatSizeLimit(maxFileSize)} each, for ${daysText(...expirationDays)}`
}
