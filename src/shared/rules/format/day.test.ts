import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { daysBetween, lastDays, startOfDay, utcDay, withEmptyDays } from './day.ts'
import { dayInMs } from './units.ts'

const anyDate = fc.date({
  min: new Date('2000-01-01T00:00:00.000Z'),
  max: new Date('2099-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})

describe('utcDay', () => {
  it.each([
    ['2026-11-22T00:00:00.000Z', '2026-11-22'],
    ['2026-11-22T23:59:59.999Z', '2026-11-22'],
    ['2024-02-29T12:00:00.000Z', '2024-02-29'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31'],
  ])('%s is %s', (date, day) => {
    expect(utcDay(new Date(date))).toBe(day)
  })

  it('returns the day that contains the date', () => {
    fc.assert(
      fc.property(anyDate, (date) => {
        const startMs = startOfDay(utcDay(date)).getTime()
        expect(startMs).toBeLessThanOrEqual(date.getTime())
        expect(startMs + dayInMs).toBeGreaterThan(date.getTime())
      }),
    )
  })
})

describe('a range of days', () => {
  it.each([
    ['one day', '2026-11-22', '2026-11-22', ['2026-11-22']],
    ['a month end', '2026-01-30', '2026-02-01', ['2026-01-30', '2026-01-31', '2026-02-01']],
    ['a leap day', '2024-02-28', '2024-03-01', ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['no leap day', '2026-02-28', '2026-03-01', ['2026-02-28', '2026-03-01']],
    ['a year end', '2026-12-31', '2027-01-01', ['2026-12-31', '2027-01-01']],
    ['an end before its start', '2026-11-22', '2026-11-20', ['2026-11-22']],
  ])('spans %s', (_, firstDay, lastDay, days) => {
    expect(daysBetween(firstDay, lastDay)).toEqual(days)
  })

  it.each([
    ['summer time begins (Europe)', '2026-03-29'],
    ['summer time ends (Europe)', '2026-10-25'],
    ['summer time begins (New York)', '2026-03-08'],
    ['summer time ends (New York)', '2026-11-01'],
  ])('contains each day once when %s', (_, change) => {
    const week = lastDays(new Date(startOfDay(change).getTime() + 3 * dayInMs), 7)
    expect(week).toContain(change)
    expect(new Set(week).size).toBe(7)
  })

  it('from lastDays ends today and has no gaps', () => {
    fc.assert(
      fc.property(anyDate, fc.integer({ min: 1, max: 60 }), (now, count) => {
        const days = lastDays(now, count)
        expect(days).toHaveLength(count)
        expect(days.at(-1)).toBe(utcDay(now))
        const steps = days.slice(1).map((day, index) => {
          return startOfDay(day).getTime() - startOfDay(days[index] ?? '').getTime()
        })
        expect(steps.every((step) => step === dayInMs)).toBe(true)
      }),
    )
  })
})

describe('in any system time zone', () => {
  const originalTimeZone = process.env.TZ
  afterEach(() => {
    if (originalTimeZone === undefined) delete process.env.TZ
    else process.env.TZ = originalTimeZone
  })

  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Berlin'])(
    'the days are the same: %s',
    (zone) => {
      process.env.TZ = zone
      expect(utcDay(new Date('2026-03-29T00:30:00.000Z'))).toBe('2026-03-29')
      expect(lastDays(new Date('2026-03-29T23:30:00.000Z'), 3)).toEqual([
        '2026-03-27',
        '2026-03-28',
        '2026-03-29',
      ])
    },
  )
})

describe('withEmptyDays', () => {
  it('fills in zeros and drops days outside the range', () => {
    const days = ['2026-11-20', '2026-11-21', '2026-11-22']
    const dayCounts = [
      { day: '2026-11-21', count: 4 },
      { day: '2026-11-19', count: 9 },
    ]
    expect(withEmptyDays(days, dayCounts)).toEqual([
      { day: '2026-11-20', count: 0 },
      { day: '2026-11-21', count: 4 },
      { day: '2026-11-22', count: 0 },
    ])
  })
})
