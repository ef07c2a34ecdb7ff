import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dayText,
  exactTimestampText,
  localDayText,
  localTimestampText,
  pastTimestampText,
  timestampText,
  weekdayText,
} from './timestamp-text.ts'

const now = new Date('2026-11-21T16:28:04Z')
const date = new Date('2026-11-24T14:02:59.999Z')

function zoneBehindUtc(minutes: number) {
  return () => minutes
}

describe('a date in UTC', () => {
  test('is marked as UTC', () => {
    expect(timestampText(date, now)).toBe('Tue 24 Nov, 14:02 UTC')
  })

  test('has a year unless it is the current one', () => {
    expect(timestampText(new Date('2026-12-31T23:59:59Z'), now)).toBe('Thu 31 Dec, 23:59 UTC')
    expect(timestampText(new Date('2027-01-01T00:00:00Z'), now)).toBe('Fri 1 Jan 2027, 00:00 UTC')
    expect(timestampText(new Date('2025-11-24T14:02:00Z'), now)).toBe('Mon 24 Nov 2025, 14:02 UTC')
  })

  test('always has a year in emails', () => {
    expect(timestampText(date)).toBe('Tue 24 Nov 2026, 14:02 UTC')
  })
})

describe('a date in another time zone', () => {
  test.each([
    [300, 'Tue 24 Nov, 09:02'],
    [-330, 'Tue 24 Nov, 19:32'],
    [-720, 'Wed 25 Nov, 02:02'],
    [0, 'Tue 24 Nov, 14:02'],
  ])('that is %i minutes behind UTC is %s', (minutes, text) => {
    expect(localTimestampText(date, now, zoneBehindUtc(minutes))).toBe(text)
    expect(exactTimestampText(date, now, zoneBehindUtc(minutes))).toBe(`${text}:59`)
    expect(localDayText(date, now, zoneBehindUtc(minutes))).toBe(text.slice(4, 10))
  })

  test('has a year unless it is the current one in that zone', () => {
    const newYear = new Date('2027-01-01T04:59:59Z')
    expect(localTimestampText(newYear, now, zoneBehindUtc(300))).toBe('Thu 31 Dec, 23:59')
    expect(localTimestampText(newYear, now, zoneBehindUtc(0))).toBe('Fri 1 Jan 2027, 04:59')
    expect(localDayText(newYear, now, zoneBehindUtc(300))).toBe('31 Dec')
    expect(localDayText(newYear, now, zoneBehindUtc(0))).toBe('1 Jan 2027')
    // In New York, `newYear` is still in 2026.
    expect(localDayText(newYear, newYear, zoneBehindUtc(300))).toBe('31 Dec')
    const newYearsEve = new Date('2026-12-31T23:00:00Z')
    expect(localDayText(newYearsEve, newYear, zoneBehindUtc(300))).toBe('31 Dec')
    expect(localDayText(newYearsEve, newYear, zoneBehindUtc(0))).toBe('31 Dec 2026')
  })

  test('uses the browser’s time zone and its daylight saving time', () => {
    // Unit tests run in New York's time zone.
    expect(localTimestampText(date, now)).toBe('Tue 24 Nov, 09:02')
    expect(localTimestampText(new Date('2026-07-24T14:02:00Z'), now)).toBe('Fri 24 Jul, 10:02')
    expect(localDayText(new Date('2026-11-22T04:59:59Z'), now)).toBe('21 Nov')
    expect(localDayText(new Date('2026-11-22T05:00:00Z'), now)).toBe('22 Nov')
  })

  test('matches `Intl.DateTimeFormat`', () => {
    const format = new Intl.DateTimeFormat('en-GB', {
      weekday: 'short',
      day: 'numeric',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    const anyDate = fc.date({
      min: new Date('1971-01-01T00:00:00Z'),
      max: new Date('2025-12-31T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(anyDate, (date) => {
        const parts = format.formatToParts(date)
        const [weekday, day, year, hour, minute, second] = [
          'weekday',
          'day',
          'year',
          'hour',
          'minute',
          'second',
        ].map((type) => parts.find((part) => part.type === type)?.value)
        expect(exactTimestampText(date, now).replace(/ [A-Z][a-z]{2} (?=\d{4})/, ' ')).toBe(
          `${weekday} ${Number(day)} ${year}, ${hour}:${minute}:${second}`,
        )
      }),
    )
  })
})

/** Creates a date in the browser's time zone. */
function localDate(
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
): Date {
  return new Date(year, month - 1, day, hour, minute, second)
}

describe('pastTimestampText', () => {
  test.each([
    ['the current second', localDate(2026, 11, 21, 11, 28, 4), 'today, 11:28:04'],
    ['midnight today', localDate(2026, 11, 21), 'today, 00:00:00'],
    ['the last second of yesterday', localDate(2026, 11, 20, 23, 59, 59), 'yesterday, 23:59:59'],
    ['midnight yesterday', localDate(2026, 11, 20), 'yesterday, 00:00:00'],
    ['two days ago', localDate(2026, 11, 19, 16, 2, 47), 'Thu 19 Nov, 16:02:47'],
    ['last year', localDate(2025, 11, 21, 9), 'Fri 21 Nov 2025, 09:00:00'],
    ['tomorrow', localDate(2026, 11, 22, 9), 'Sun 22 Nov, 09:00:00'],
  ])('%s', (_, pastDate, text) => {
    expect(pastTimestampText(pastDate, localDate(2026, 11, 21, 11, 28, 4))).toBe(text)
  })

  test('says yesterday across the end of a month, of a year and of daylight saving time', () => {
    expect(pastTimestampText(localDate(2026, 2, 28, 8), localDate(2026, 3, 1, 7))).toBe(
      'yesterday, 08:00:00',
    )
    expect(pastTimestampText(localDate(2025, 12, 31, 8), localDate(2026, 1, 1, 7))).toBe(
      'yesterday, 08:00:00',
    )
    // Daylight saving time ends in New York on 1 November 2026, so that day has 25 hours.
    expect(pastTimestampText(localDate(2026, 11, 1, 0, 30), localDate(2026, 11, 2, 0, 10))).toBe(
      'yesterday, 00:30:00',
    )
  })
})

test.each([
  ['2026-11-16', '16 Nov', 'Mon 16 Nov'],
  ['2026-03-29', '29 Mar', 'Sun 29 Mar'],
  ['2026-12-31', '31 Dec', 'Thu 31 Dec'],
  ['2024-02-29', '29 Feb 2024', 'Thu 29 Feb 2024'],
  ['2027-01-01', '1 Jan 2027', 'Fri 1 Jan 2027'],
])('the day %s is formatted as %s or %s', (day, text, withWeekday) => {
  expect(dayText(day, '2026-11-21')).toBe(text)
  expect(weekdayText(day, '2026-11-21')).toBe(withWeekday)
})
