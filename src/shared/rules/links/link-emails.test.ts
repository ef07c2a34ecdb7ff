import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findSendingTime,
  maxRecipients,
  maxRecipientsPerDay,
  recipientWindowMs,
} from './link-emails.ts'

/** Times of earlier emails, in ascending order, and the number of emails to send. */
const requests = fc.record({
  sentAt: fc
    .array(fc.integer({ min: 0, max: recipientWindowMs - 1 }), { maxLength: maxRecipientsPerDay })
    .map((times) => times.sort((a, b) => a - b).map((time) => new Date(time))),
  count: fc.integer({ min: 1, max: maxRecipients }),
})

describe('findSendingTime', () => {
  it('allows emails exactly if the day has room for all of them', () => {
    fc.assert(
      fc.property(requests, ({ sentAt, count }) => {
        const hasRoom = sentAt.length + count <= maxRecipientsPerDay
        expect(findSendingTime(sentAt, count) === null).toBe(hasRoom)
      }),
    )
  })

  it('otherwise returns the first time at which they are allowed', () => {
    fc.assert(
      fc.property(requests, ({ sentAt, count }) => {
        const time = findSendingTime(sentAt, count)
        if (time === null) return
        const countedAt = (now: number) =>
          sentAt.filter((at) => at.getTime() > now - recipientWindowMs)
        expect(findSendingTime(countedAt(time.getTime()), count)).toBeNull()
        expect(findSendingTime(countedAt(time.getTime() - 1), count)).not.toBeNull()
      }),
    )
  })
})
