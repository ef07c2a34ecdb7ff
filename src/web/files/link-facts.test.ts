import { expect, it, test } from 'vitest'
import { storedFile } from '../../../tests/support/upload-facts.ts'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { linkEnd, linkFacts } from './link-facts.ts'

const dates = {
  createdAt: '2026-03-01T10:00:00.000Z',
  expiresAt: '2026-03-04T10:00:00.000Z',
  maxLifetimeAt: '2026-03-31T10:00:00.000Z',
}

it('parses the dates of a file', () => {
  const facts = linkFacts(storedFile({ ...dates, purgingAt: null }))
  expect(JSON.parse(JSON.stringify(facts))).toEqual({ ...dates, purgingAt: null })
  expect(linkFacts(storedFile({ ...dates, purgingAt: dates.expiresAt })).purgingAt).toEqual(
    new Date(dates.expiresAt),
  )
})

const expiresAt = new Date('2026-03-04T10:00:00.000Z')
const maxLifetimeAt = new Date('2026-03-31T10:00:00.000Z')
const before = new Date('2026-03-02T10:00:00.000Z')
const after = new Date('2026-03-20T10:00:00.000Z')
const gone = new Date('2026-04-02T10:00:00.000Z')

test.each<[string, Tier, Date, Date | null, string, Date]>([
  ['active: its expiry', 'free', before, null, 'Until', expiresAt],
  [
    'private: until when it can be renewed',
    'premium',
    after,
    null,
    'Can be renewed until',
    maxLifetimeAt,
  ],
  ['expired for good: when it ended', 'free', after, null, 'Ended', expiresAt],
  ['past its maximum lifetime: when it ended', 'premium', gone, null, 'Ended', expiresAt],
  ['taken down: when it was taken down', 'premium', after, before, 'Ended', before],
  ['taken down after its expiry: when it ended', 'premium', gone, after, 'Ended', expiresAt],
])('the date of a link, %s', (_, tier, now, takenDownAt, words, at) => {
  // A takedown starts removing the bytes immediately.
  const facts = { expiresAt, maxLifetimeAt, purgingAt: takenDownAt }
  const text = `${words} ${localTimestampText(at, now)}`
  expect(linkEnd(facts, takenDownAt, tier, now)).toEqual({ at, text })
})
