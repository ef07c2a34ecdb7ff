import { afterEach, expect, test, vi } from 'vitest'
import { endOfLocalDay, startOfLocalDay } from './audit-section.tsx'

afterEach(() => vi.unstubAllEnvs())

test.each([
  ['UTC', '2026-11-19', '2026-11-19T00:00:00.000Z', '2026-11-20T00:00:00.000Z'],
  ['Europe/Berlin', '2026-12-31', '2026-12-30T23:00:00.000Z', '2026-12-31T23:00:00.000Z'],
  // Daylight saving time ends on this day, so the day is 25 hours long.
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
])('in %s, %s runs from midnight to midnight', (zone, day, from, to) => {
  vi.stubEnv('TZ', zone)
  expect(startOfLocalDay(day)?.toISOString()).toBe(from)
  expect(endOfLocalDay(day)?.toISOString()).toBe(to)
})

test.each(['', '0002-11-19', '0202-11-19', 'x'])('%j sets no limit', (day) => {
  expect(startOfLocalDay(day)).toBeNull()
  expect(endOfLocalDay(day)).toBeNull()
})
