import { expect, it } from 'vitest'
import { dayText, weekdayText } from './day-text.ts'

it.each([
  ['2026-11-16', '16 Nov', 'Mon 16 Nov'],
  ['2026-03-29', '29 Mar', 'Sun 29 Mar'],
  ['2024-02-29', '29 Feb', 'Thu 29 Feb'],
  ['2026-12-31', '31 Dec', 'Thu 31 Dec'],
  ['2027-01-01', '1 Jan', 'Fri 1 Jan'],
])('%s reads %s, or %s', (day, text, withWeekday) => {
  expect(dayText(day)).toBe(text)
  expect(weekdayText(day)).toBe(withWeekday)
})
