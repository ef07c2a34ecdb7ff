import { dayInMs } from '../format/units.ts'
import type { LifelineDates } from './lifeline.ts'

/** How many days the owner of a deleted file can see its receipt. */
export const receiptDays = 30

/**
 * Returns the time `receiptDays` before `now`. Receipts of bytes deleted after it are still shown.
 */
export function receiptCutoff(now: Date): Date {
  return new Date(now.getTime() - receiptDays * dayInMs)
}

/** The dates that determine when the bytes of a file must be deleted. */
export interface RemovalDates extends Omit<LifelineDates, 'createdAt'> {
  /** When the server began to delete the bytes, or null. */
  purgingAt: Date | null
  /** When the deletion was due, as recorded when it began. */
  purgeDueAt: Date | null
}

/**
 * Returns when the bytes of a file must be, or had to be, deleted: at the end of its longest life
 * if the owner can renew it, otherwise at the end of its link. Null if the deletion began before
 * the server recorded due dates.
 */
export function removalDueAt(dates: RemovalDates, canRenew: boolean): Date | null {
  const { expiresAt, maxLifetimeAt, purgingAt, purgeDueAt } = dates
  if (purgeDueAt !== null) return purgeDueAt
  if (purgingAt !== null) return null
  return canRenew || maxLifetimeAt < expiresAt ? maxLifetimeAt : expiresAt
}
