import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Lifeline, lifeline, lifelineBar } from './lifeline.ts'

const hour = 3_600_000
const day = 24 * hour
const now = new Date('2026-03-08T06:30:00.000Z')
function inMs(ms: number) {
  return new Date(now.getTime() + ms)
}
function dates(created: number, expires: number, ends: number) {
  return {
    createdAt: inMs(created),
    expiresAt: inMs(expires),
    maxLifetimeAt: inMs(ends),
  }
}

describe('lifeline', () => {
  it('a third lived, a tenth valid, the rest a renewal could give', () => {
    const line = lifeline(dates(-10 * day, 3 * day, 20 * day), now, true)
    expect(line.lived).toBeCloseTo(10 / 30, 10)
    expect(line.valid).toBeCloseTo(3 / 30, 10)
    expect(line.renewable).toBeCloseTo(17 / 30, 10)
    expect(line.tone).toBe('calm')
  })

  it('gives nothing to renew where renewing is impossible, and the rest stays as it was', () => {
    const line = lifeline(dates(-10 * day, 3 * day, 20 * day), now, false)
    expect(line.renewable).toBe(0)
    expect(line.valid).toBeCloseTo(3 / 30, 10)
  })

  it('an expired link has nothing valid and, where it can be renewed, all the rest to win', () => {
    const line = lifeline(dates(-15 * day, -day, 15 * day), now, true)
    expect(line).toEqual({ lived: 0.5, valid: 0, renewable: 0.5, tone: 'over' })
  })

  it('at the end of the 30 days everything is lived', () => {
    const line = lifeline(dates(-30 * day, 0, 0), now, true)
    expect(line).toEqual({ lived: 1, valid: 0, renewable: 0, tone: 'over' })
  })

  it('a clock that runs late shows a new link, not a negative part', () => {
    const line = lifeline(dates(5 * 60_000, 3 * day, 30 * day), now, true)
    expect(line.lived).toBe(0)
  })

  it.each([
    [day, 'calm'],
    [day - 1, 'amber'],
    [hour, 'amber'],
    [hour - 1, 'red'],
    [1, 'red'],
    [0, 'over'],
    [-1, 'over'],
  ])('with %d ms left the tone is %s', (left, tone) => {
    expect(lifeline(dates(-2 * day, left, 28 * day), now, true).tone).toBe(tone)
    expect(lifeline(dates(-29 * day, 5 * day, left), now, true).tone).toBe(tone)
  })

  it('any dates: parts between 0 and 1 that sum to 1, or to no more than 1 without renewal', () => {
    const offset = fc.integer({ min: -40 * day, max: 40 * day })
    fc.assert(
      fc.property(offset, offset, offset, fc.boolean(), (created, expires, ends, canRenew) => {
        const line = lifeline(dates(created, expires, ends), now, canRenew)
        const parts = [line.lived, line.valid, line.renewable]
        for (const part of parts) {
          expect(part).toBeGreaterThanOrEqual(0)
          expect(part).toBeLessThanOrEqual(1)
        }
        const sum = line.lived + line.valid + line.renewable
        if (canRenew) expect(sum).toBeCloseTo(1, 9)
        else expect(sum).toBeLessThanOrEqual(1 + 1e-9)
        if (line.tone === 'over') expect(line.valid).toBe(0)
      }),
    )
  })

  it('the lived part only grows', () => {
    fc.assert(
      fc.property(fc.nat(40 * day), fc.nat(40 * day), (a, b) => {
        const file = dates(0, 3 * day, 30 * day)
        const [sooner, later] = [Math.min(a, b), Math.max(a, b)]
        expect(lifeline(file, inMs(sooner), true).lived).toBeLessThanOrEqual(
          lifeline(file, inMs(later), true).lived,
        )
      }),
    )
  })
})

function life(lived: number, valid: number, renewable: number): Lifeline {
  return {
    lived,
    valid,
    renewable,
    tone: 'calm',
  }
}

const anyLife = fc
  .tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.boolean(),
  )
  .map(([a, b, canRenew]) => {
    const [lived, end] = a < b ? [a, b] : [b, a]
    return life(lived, end - lived, canRenew ? 1 - end : 0)
  })

describe('lifelineBar', () => {
  test('draws the parts one behind the other', () => {
    expect(lifelineBar(life(0.1, 0.08, 0.82))).toEqual({
      lived: { x: 0, width: 9.4 },
      valid: { x: 10, width: 7.4 },
      renewable: { x: 18, width: 82 },
    })
  })

  test('a file just made has lived nothing yet', () => {
    expect(lifelineBar(life(0, 0.1, 0.9)).lived.width).toBe(0)
  })

  test('what cannot be renewed stays empty, without a gap at its end', () => {
    expect(lifelineBar(life(0.5, 0.1, 0))).toEqual({
      lived: { x: 0, width: 49.4 },
      valid: { x: 50, width: 10 },
      renewable: { x: 60, width: 0 },
    })
  })

  test('parts never overlap nor leave the bar, and what is valid can always be seen', () => {
    fc.assert(
      fc.property(anyLife, (any) => {
        const { lived, valid, renewable } = lifelineBar(any)
        expect(lived.x + lived.width).toBeLessThanOrEqual(valid.x + 0.011)
        expect(valid.x + valid.width).toBeLessThanOrEqual(renewable.x + 0.011)
        expect(renewable.x + renewable.width).toBeLessThanOrEqual(100.011)
        for (const part of [lived, valid, renewable]) expect(part.width).toBeGreaterThanOrEqual(0)
        if (any.valid > 0) expect(valid.width).toBeGreaterThan(1.5)
        else expect(valid.width).toBe(0)
      }),
    )
  })
})
