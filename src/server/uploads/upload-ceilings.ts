import { tierLimits } from '../../shared/rules/tier-limits.ts'

const mebibyte = 1024 ** 2

/** An upload of one byte costs a row and a file as well: each counts as a part at least. */
export const leastUnfinishedBytes = 8 * mebibyte

/**
 * What an account without a limit of files may have announced and not confirmed: 32 of the largest
 * files. A browser sends one large file at a time, so that its devices and what failed on them fit.
 */
export const accountCeilingBytes = 32 * tierLimits.premium.maxFileSize

/** All accounts together: 1 TiB, 32 times as much. In a bucket that costs less than a dollar a day. */
export const instanceCeilingBytes = 32 * accountCeilingBytes

/** What an upload counts, in bytes. */
export function chargeOf(size: number): number {
  return Math.max(size, leastUnfinishedBytes)
}
