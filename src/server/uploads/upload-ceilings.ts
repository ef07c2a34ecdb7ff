import { type Limits, largestFileSize } from '../../shared/rules/tier-limits.ts'

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3

/**
 * Even an upload of one byte costs a row and a file. So each upload counts at least the size of one
 * part.
 */
export const leastUnfinishedBytes = 8 * mebibyte

/**
 * Returns how many bytes an account without a limit of files may have announced and not confirmed:
 * as many as 32 of the largest files, or of 1 GiB if these are smaller. A browser sends one large
 * file at a time, so this suffices for several devices and some failed uploads. The small files of
 * a large drop need it too, because each of them counts as a part.
 */
export function accountCeilingBytes(limits: Limits): number {
  return 32 * Math.max(largestFileSize(limits), gibibyte)
}

/**
 * Returns the ceiling for all accounts together, 32 times as much: 1 TiB where the largest file has
 * 1 GiB. In a bucket that costs less than a dollar a day.
 */
export function instanceCeilingBytes(limits: Limits): number {
  return 32 * accountCeilingBytes(limits)
}

/** Returns how many bytes an upload counts against the ceilings. */
export function chargeOf(size: number): number {
  return Math.max(size, leastUnfinishedBytes)
}
