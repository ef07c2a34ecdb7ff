import { expect, test } from 'vitest'
import { whenText } from './when-text.ts'

/** Returns a moment in the browser's time zone. */
function at(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): Date {
  return new Date(year, month - 1, day, hour, minute, second)
}

test.each([
  ['the same moment', at(2026, 11, 21, 11, 28, 4), 'today, 11:28:04'],
  ['midnight today', at(2026, 11, 21), 'today, 00:00:00'],
  ['the last second of yesterday', at(2026, 11, 20, 23, 59, 59), 'yesterday, 23:59:59'],
  ['midnight yesterday', at(2026, 11, 20), 'yesterday, 00:00:00'],
  ['the day before', at(2026, 11, 19, 16, 2, 47), '19 Nov, 16:02:47'],
  ['the last year', at(2025, 11, 21, 9), '21 Nov 2025, 09:00:00'],
])('%s', (_, moment, text) => {
  expect(whenText(moment, at(2026, 11, 21, 11, 28, 4))).toBe(text)
})

test('yesterday is the day before, also over a month, a year and a change of the clocks', () => {
  expect(whenText(at(2026, 2, 28, 8), at(2026, 3, 1, 7))).toBe('yesterday, 08:00:00')
  expect(whenText(at(2025, 12, 31, 8), at(2026, 1, 1, 7))).toBe('yesterday, 08:00:00')
  // In New York, the clocks go back on 1 November 2026, so that day has 25 hours.
  expect(whenText(at(2026, 11, 1, 0, 30), at(2026, 11, 2, 0, 10))).toBe('yesterday, 00:30:00')
})
