import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayInMs, hourInMs } from '../../shared/rules/format/units.ts'
import { lifeAxis } from './life-chart.tsx'

const createdAt = new Date('2026-11-14T12:00:00.000Z')
function later(ms: number) {
  return new Date(createdAt.getTime() + ms)
}
const month = { createdAt, maxLifetimeAt: later(30 * dayInMs) }

describe('the axis of a life', () => {
  it('has every day that the life touches, and room before and after it', () => {
    const { days, start, width } = lifeAxis(month, createdAt)
    expect(days).toBe(31)
    expect(start).toBeCloseTo(50 / 31, 10)
    expect(width).toBeCloseTo((30 / 31) * 100, 10)
  })

  it('is one day for a life within a day', () => {
    const file = { createdAt, maxLifetimeAt: later(6 * hourInMs) }
    expect(lifeAxis(file, createdAt)).toMatchObject({ days: 1, start: 50, width: 25 })
  })

  it.each([
    ['at the upload in place of the first day', 0, false, true],
    ['after four days still', 4 * dayInMs, false, true],
    ['after eight days beside it', 8 * dayInMs, true, true],
    ['after three weeks', 21 * dayInMs, true, true],
    ['no more where the end has its name', 23 * dayInMs, true, false],
    ['nor when all is over', 40 * dayInMs, true, false],
  ])('names today %s', (_, passed, hasFirst, hasToday) => {
    const axis = lifeAxis(month, later(passed))
    expect([axis.hasFirst, axis.today !== null]).toEqual([hasFirst, hasToday])
  })

  it('never names anything outside of it, whatever the dates', () => {
    const ms = fc.integer({ min: 1, max: 365 * dayInMs })
    fc.assert(
      fc.property(ms, fc.integer({ min: -dayInMs, max: 400 * dayInMs }), (life, passed) => {
        const file = { createdAt, maxLifetimeAt: later(life) }
        const { start, width, today } = lifeAxis(file, later(passed))
        expect(start).toBeGreaterThanOrEqual(0)
        expect(start + width).toBeLessThanOrEqual(100 + 1e-9)
        if (!today) return
        // 'today' is some 12 % of a phone's width wide.
        expect(today.x + (today.shift / 100) * 12).toBeGreaterThanOrEqual(0)
        expect(today.x).toBeGreaterThanOrEqual(start)
      }),
    )
  })
})
