import { largestFileSize } from '../../shared/rules/tier-limits.ts'

const mebibyte = 1024 ** 2

/**
 * Even an upload of one byte costs a row and a file. So each upload counts at least the size of one
 * part.
 */
export const leastUnfinishedBytes = 8 * mebibyte

/**
 * How many bytes an account without a limit of files may have announced and not confirmed: as many
 * as 32 of the largest files. A browser sends one large file at a time, so this suffices for
 * several devices and some failed uploads.
 */
export const accountCeilingBytes = 32 * largestFileSize

/**
 * The ceiling for all accounts together, 32 times as much: 1 TiB where the largest file has 1 GiB.
 * In a bucket that costs less than a dollar a day.
 */
export const instanceCeilingBytes = 32 * accountCeilingBytes

/** Returns how many bytes an upload counts against the ceilings. */
export function chargeOf(size: number): number {
  return Math.max(size, leastUnfinishedBytes)
}
