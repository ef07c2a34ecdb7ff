import { dayInMs } from './lifetime.ts'

/** For so many days the owner of a deleted file sees the receipt of its deletion. */
export const receiptDays = 30

/** Returns the moment since when bytes must be gone so that the owner still sees the receipt. */
export function receiptsShownSince(now: Date): Date {
  return new Date(now.getTime() - receiptDays * dayInMs)
}
