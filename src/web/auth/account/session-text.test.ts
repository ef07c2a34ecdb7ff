import { expect, test } from 'vitest'
import { dateText, dayText, isHandheld, lastSeenText } from './session-text.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = new Date('2026-11-22T15:00:00Z')

test.each([
  [-day, 'just now'],
  [0, 'just now'],
  [10 * minute - 1, 'just now'],
  [10 * minute, '10 minutes ago'],
  [hour - 1, '59 minutes ago'],
  [hour, '1 hour ago'],
  [2 * hour, '2 hours ago'],
  [day - 1, '23 hours ago'],
  [day, 'on 21 Nov'],
  [40 * day, 'on 13 Oct'],
])('a session that was seen %i ms before was seen %s', (passed, text) => {
  expect(lastSeenText(new Date(now.getTime() - passed), now)).toBe(text)
})

test('a day is that of the zone of the browser', () => {
  // The unit tests run in the time zone of New York, which is five hours behind UTC here.
  expect(dayText(new Date('2026-11-22T04:59:59Z'))).toBe('21 Nov')
  expect(dayText(new Date('2026-11-22T05:00:00Z'))).toBe('22 Nov')
  expect(dateText(new Date('2026-01-01T04:59:59Z'))).toBe('31 Dec 2025')
})

test.each([
  ['Chrome on Android', true],
  ['Samsung Internet for Android', true],
  ['Safari on iOS', true],
  ['Firefox on Linux', false],
  ['Safari on macOS', false],
  ['Chrome on Chrome OS', false],
  [null, false],
])('%s runs on a phone or a tablet: %s', (browser, expected) => {
  expect(isHandheld(browser)).toBe(expected)
})
