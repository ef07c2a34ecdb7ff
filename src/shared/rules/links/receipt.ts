import { dayInMs } from '../format/units.ts'
import type { LifelineDates } from './lifeline.ts'

/** The owner of a deleted file sees its receipt for this many days. */
export const receiptDays = 30

/**
 * Returns the moment `receiptDays` before `now`. The owner still sees a receipt if the bytes were
 * removed after this moment.
 */
export function receiptsShownSince(now: Date): Date {
  return new Date(now.getTime() - receiptDays * dayInMs)
}

/** What decides when the bytes of a file must be removed. */
export interface RemovalFacts extends Omit<LifelineDates, 'createdAt'> {
  /** When the server began to remove the bytes; null if it has not. */
  purgingAt: Date | null
  /** When the removal was due. The server records it when the removal begins. */
  purgeDueAt: Date | null
}

/**
 * Returns when the bytes of a file must be removed, or had to be. A file whose owner can renew it
 * stays until the end of its longest life, any other until its link ends. Returns null for a file
 * whose removal began before the server recorded when it was due.
 */
export function removalDueAt(facts: RemovalFacts, canRenew: boolean): Date | null {
  const { expiresAt, maxLifetimeAt, purgingAt, purgeDueAt } = facts
  if (purgeDueAt !== null) return purgeDueAt
  if (purgingAt !== null) return null
  return canRenew || maxLifetimeAt < expiresAt ? maxLifetimeAt : expiresAt
}
