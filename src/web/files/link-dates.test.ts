import { expect, it, test } from 'vitest'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { getLinkEnd, linkDates } from './link-dates.ts'

const dates = {
  createdAt: '2026-03-01T10:00:00.000Z',
  expiresAt: '2026-03-04T10:00:00.000Z',
  maxLifetimeAt: '2026-03-31T10:00:00.000Z',
}

it('parses the dates of a link', () => {
  const parsedDates = linkDates({ ...dates, purgingAt: null })
  expect(JSON.parse(JSON.stringify(parsedDates))).toEqual({ ...dates, purgingAt: null })
  expect(linkDates({ ...dates, purgingAt: dates.expiresAt }).purgingAt).toEqual(
    new Date(dates.expiresAt),
  )
})

const expiresAt = new Date('2026-03-04T10:00:00.000Z')
const maxLifetimeAt = new Date('2026-03-31T10:00:00.000Z')
const beforeExpiry = new Date('2026-03-02T10:00:00.000Z')
const afterExpiry = new Date('2026-03-20T10:00:00.000Z')
const afterLifetime = new Date('2026-04-02T10:00:00.000Z')

test.each<[string, Tier, Date, Date | null, string, Date]>([
  ['active: its expiry', 'free', beforeExpiry, null, 'Until', expiresAt],
  [
    'private: until when it can be renewed',
    'premium',
    afterExpiry,
    null,
    'Can be renewed until',
    maxLifetimeAt,
  ],
  ['expired for good: when it ended', 'free', afterExpiry, null, 'Ended', expiresAt],
  ['past its maximum lifetime: when it ended', 'premium', afterLifetime, null, 'Ended', expiresAt],
  [
    'taken down: when it was taken down',
    'premium',
    afterExpiry,
    beforeExpiry,
    'Ended',
    beforeExpiry,
  ],
  [
    'taken down after its expiry: when it ended',
    'premium',
    afterLifetime,
    afterExpiry,
    'Ended',
    expiresAt,
  ],
])('the end of a link that is %s', (_, tier, now, takenDownAt, prefix, expectedTime) => {
  // A takedown deletes the bytes immediately, so `purgingAt` is the time of the takedown.
  const linkTimes = { expiresAt, maxLifetimeAt, purgingAt: takenDownAt }
  const text = `${prefix} ${localTimestampText(expectedTime, now)}`
  expect(getLinkEnd(linkTimes, takenDownAt, tier, now)).toEqual({ at: expectedTime, text })
})
