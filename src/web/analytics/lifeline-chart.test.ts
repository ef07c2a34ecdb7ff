import { describe, expect, it } from 'vitest'
import { dayInMs, hourInMs } from '../../shared/rules/format/units.ts'
import { computeLifeAxis } from './lifeline-chart.tsx'

const createdAt = new Date('2026-11-14T12:00:00.000Z')
function dateAfterCreation(ms: number) {
  return new Date(createdAt.getTime() + ms)
}

describe('computeLifeAxis', () => {
  it('covers every UTC day of the maximum lifetime', () => {
    const { days, start, width } = computeLifeAxis({
      createdAt,
      maxLifetimeAt: dateAfterCreation(30 * dayInMs),
    })
    expect(days).toBe(31)
    expect(start).toBeCloseTo(50 / 31, 10)
    expect(width).toBeCloseTo((30 / 31) * 100, 10)
  })

  it('covers one day if the maximum lifetime starts and ends on the same day', () => {
    const axis = computeLifeAxis({ createdAt, maxLifetimeAt: dateAfterCreation(6 * hourInMs) })
    expect(axis).toEqual({ days: 1, start: 50, width: 25 })
  })
})
