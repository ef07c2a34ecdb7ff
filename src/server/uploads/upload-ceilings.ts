import { gibibyte, mebibyte } from '../../shared/rules/format/units.ts'
import { type Limits, largestFileSize } from '../../shared/rules/tiers/tier-limits.ts'

/**
 * Even an upload of one byte costs a row and a file. So each upload counts at least the size of one
 * part.
 */
export const leastUnfinishedBytes = 8 * mebibyte

/**
 * Returns how many announced but unconfirmed bytes one account may have. This ceiling is meant for
 * accounts without a limit of files. It is 32 times the size of the largest allowed file, and at
 * least 32 GiB. A browser sends one large file at a time, so this suffices for several devices and
 * some failed uploads. Many small files at once need the room too, because each counts as a whole
 * part.
 */
export function accountCeilingBytes(limits: Limits): number {
  return 32 * Math.max(largestFileSize(limits), gibibyte)
}

/**
 * Returns how many unconfirmed bytes all accounts together may have: 32 times as many as one
 * account. For example, it is 1 TiB if the largest file has 1 GiB. A bucket charges less than a
 * dollar a day for that.
 */
export function instanceCeilingBytes(limits: Limits): number {
  return 32 * accountCeilingBytes(limits)
}

/** Returns how many bytes an upload counts against the ceilings. */
export function chargeOf(size: number): number {
  return Math.max(size, leastUnfinishedBytes)
}
