import { dayInMs } from './time-units.ts'

/** The owner of a deleted file sees its receipt for this many days. */
export const receiptDays = 30

/**
 * Returns the moment `receiptDays` before `now`. The owner still sees a receipt if the bytes were
 * removed after this moment.
 */
export function receiptsShownSince(now: Date): Date {
  return new Date(now.getTime() - receiptDays * dayInMs)
}
