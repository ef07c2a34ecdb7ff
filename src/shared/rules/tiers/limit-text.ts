import { formatSizeLimit } from '../format/file-size.ts'
import { anyOf } from '../format/lists.ts'
import type { TierLimits } from './tier-limits.ts'

/** Returns a number of files in words. Examples: '3 files', '1 file', 'unlimited files'. */
export function filesText(maxFiles: number | null): string {
  if (maxFiles === null) return 'unlimited files'
  return maxFiles === 1 ? '1 file' : `${maxFiles.toLocaleString('en')} files`
}

/** Returns in words the days from which a user can choose. Examples: '3, 5 or 7 days', '1 day'. */
export function daysText(...days: readonly number[]): string {
  return `${anyOf(days)} ${days.length === 1 && days[0] === 1 ? 'day' : 'days'}`
}

/**
 * Says how many more files a user may have who has `active` ones now. Examples: '2 of 3 left',
 * 'None left: delete files to make room'.
 */
export function filesLeftText(maxFiles: number, active: number): string {
  const left = maxFiles - active
  if (left <= 0) return 'None left: delete files to make room'
  return `${left.toLocaleString('en')} of ${maxFiles.toLocaleString('en')} left`
}

/** Returns the limits of a tier in words. Example: '3 files at most, 500MB each, for 3 days'. */
export function limitsText({ maxFiles, maxFileSize, expirationDays }: TierLimits): string {
  const files = maxFiles === null ? filesText(null) : `${filesText(maxFiles)} at most`
  return `${files}, ${formatSizeLimit(maxFileSize)} each, for ${daysText(...expirationDays)}`
}
