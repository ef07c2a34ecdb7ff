import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayInMs, hourInMs } from '../format/units.ts'
import { timeLeftText, timeTone } from './link-status.ts'

describe('timeLeftText', () => {
  it.each([
    [30 * dayInMs, '30 days left'],
    [2.5 * dayInMs, '3 days left'],
    [2.5 * dayInMs - 1, '2 days left'],
    [1.5 * dayInMs - 1, '1 day left'],
    [dayInMs, '1 day left'],
    [dayInMs - 1, '23 hours left'],
    [2 * hourInMs, '2 hours left'],
    [2 * hourInMs - 1, '1 hour left'],
    [hourInMs, '1 hour left'],
    [hourInMs - 1, 'Less than 1 hour left'],
    [1, 'Less than 1 hour left'],
  ])('formats %d ms as %s', (leftMs, text) => {
    expect(timeLeftText(leftMs)).toBe(text)
  })

  it('overstates the time by at most half a day', () => {
    fc.assert(
      fc.property(fc.integer({ min: hourInMs, max: 60 * dayInMs }), (leftMs) => {
        const [count = '', unit = ''] = timeLeftText(leftMs).split(' ')
        const textMs = Number(count) * (unit.startsWith('day') ? dayInMs : hourInMs)
        expect(textMs - leftMs).toBeLessThanOrEqual(unit.startsWith('day') ? dayInMs / 2 : 0)
      }),
    )
  })
})

describe('timeTone', () => {
  it.each([
    [dayInMs, 'calm'],
    [dayInMs - 1, 'amber'],
    [hourInMs, 'amber'],
    [hourInMs - 1, 'red'],
    [1, 'red'],
    [0, 'over'],
    [-1, 'over'],
  ])('for %d ms is %s', (leftMs, tone) => {
    expect(timeTone(leftMs)).toBe(tone)
  })
})
