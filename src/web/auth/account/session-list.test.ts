import { expect, test } from 'vitest'
import { isHandheld, lastSeenText } from './session-list.tsx'

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
  [400 * day, 'on 18 Oct 2025'],
])('a session used %i ms ago was last seen %s', (elapsedMs, text) => {
  expect(lastSeenText(new Date(now.getTime() - elapsedMs), now)).toBe(text)
})

test.each([
  ['Chrome on Android', true],
  ['Samsung Internet for Android', true],
  ['Safari on iOS', true],
  ['Firefox on Linux', false],
  ['Safari on macOS', false],
  ['Chrome on Chrome OS', false],
  [null, false],
])('recognizes whether %s is a browser on a phone or tablet: %s', (browser, expected) => {
  expect(isHandheld(browser)).toBe(expected)
})
