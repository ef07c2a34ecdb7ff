import { largestFileSize } from '../../shared/rules/tier-limits.ts'

const mebibyte = 1024 ** 2

/**
 * Even an upload of one byte costs a row and a file, so each upload counts as one part at least.
 */
export const leastUnfinishedBytes = 8 * mebibyte

/**
 * How many bytes an account without a limit of files may have announced and not confirmed: 32 of
 * the largest files. A browser sends one large file at a time, so this suffices for several devices
 * and some failed uploads.
 */
export const accountCeilingBytes = 32 * largestFileSize

/**
 * The ceiling for all accounts together, 32 times as much: 1 TiB where the largest file has 1 GiB.
 * In a bucket that costs less than a dollar a day.
 */
export const instanceCeilingBytes = 32 * accountCeilingBytes

/** Returns what an upload counts, in bytes. */
export function chargeOf(size: number): number {
  return Math.max(size, leastUnfinishedBytes)
}
