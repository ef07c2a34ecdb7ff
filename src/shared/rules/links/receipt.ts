import { dayInMs } from '../format/units.ts'
import type { LifelineDates } from './lifeline.ts'

/** For how many days the owner of a deleted file can see the receipt. */
export const receiptDays = 30

/**
 * Returns the time `receiptDays` before `now`. Receipts are shown for files whose bytes were
 * deleted after that.
 */
export function receiptCutoff(now: Date): Date {
  return new Date(now.getTime() - receiptDays * dayInMs)
}

/** The dates that determine when a file's bytes must be deleted. */
export interface RemovalDates extends Omit<LifelineDates, 'createdAt'> {
  /** When the server began to delete the bytes. Null if it hasn't. */
  purgingAt: Date | null
  /** When the bytes were due to be deleted. Recorded when the deletion begins. */
  purgeDueAt: Date | null
}

/**
 * Returns when a file's bytes must be deleted, or should have been: at the end of the maximum
 * lifetime if the owner can renew the link, otherwise when the link expires. Null if the deletion
 * began before the server started to record due dates.
 */
export function removalDueAt(dates: RemovalDates, canRenew: boolean): Date | null {
  const { expiresAt, maxLifetimeAt, purgingAt, purgeDueAt } = dates
  if (purgeDueAt !== null) return purgeDueAt
  if (purgingAt !== null) return null
  return canRenew || maxLifetimeAt < expiresAt ? maxLifetimeAt : expiresAt
}
