import { dayInMs } from '../format/units.ts'

/** How many people a link can be sent to with one call. */
export const maxRecipients = 20

/** How many people a user can send links to within `recipientWindowMs`. */
export const maxRecipientsPerDay = 100
export const recipientWindowMs = dayInMs

/** How long a sent link's recipients and message are kept. The privacy policy states it. */
export const linkEmailRetentionMs = 14 * dayInMs

/**
 * Checks the daily limit of recipients.
 * @param sentAt when the user's emails of the last `recipientWindowMs` were requested, in ascending
 * order.
 * @param count how many more the user requests, at most `maxRecipientsPerDay`.
 * @returns null if they are allowed, otherwise when they will be.
 */
export function findSendingTime(sentAt: readonly Date[], count: number): Date | null {
  const lastCounted = sentAt[sentAt.length + count - maxRecipientsPerDay - 1]
  return lastCounted ? new Date(lastCounted.getTime() + recipientWindowMs) : null
}
