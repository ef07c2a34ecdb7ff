import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Lifeline, lifeline, lifelineBar } from './lifeline.ts'

const hour = 3_600_000
const day = 24 * hour
const now = new Date('2026-03-08T06:30:00.000Z')
function fromNow(ms: number) {
  return new Date(now.getTime() + ms)
}
function makeDates(createdOffset: number, expiryOffset: number, endOffset: number) {
  return {
    createdAt: fromNow(createdOffset),
    expiresAt: fromNow(expiryOffset),
    maxLifetimeAt: fromNow(endOffset),
  }
}

describe('lifeline', () => {
  it('divides the maximum lifetime into lived, valid and renewable parts', () => {
    const line = lifeline(makeDates(-10 * day, 3 * day, 20 * day), now, true)
    expect(line.lived).toBeCloseTo(10 / 30, 10)
    expect(line.valid).toBeCloseTo(3 / 30, 10)
    expect(line.renewable).toBeCloseTo(17 / 30, 10)
    expect(line.tone).toBe('calm')
  })

  it('has no renewable part if the link can’t be renewed', () => {
    const line = lifeline(makeDates(-10 * day, 3 * day, 20 * day), now, false)
    expect(line.renewable).toBe(0)
    expect(line.valid).toBeCloseTo(3 / 30, 10)
  })

  it('has no valid part after the link expires, and the rest is renewable', () => {
    const line = lifeline(makeDates(-15 * day, -day, 15 * day), now, true)
    expect(line).toEqual({ lived: 0.5, valid: 0, renewable: 0.5, tone: 'over' })
  })

  it('is entirely lived at the end of the 30 days', () => {
    const line = lifeline(makeDates(-30 * day, 0, 0), now, true)
    expect(line).toEqual({ lived: 1, valid: 0, renewable: 0, tone: 'over' })
  })

  it('has no negative part if the clock is slow', () => {
    const line = lifeline(makeDates(5 * 60_000, 3 * day, 30 * day), now, true)
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
  ])('with %d ms left has the tone %s', (leftMs, tone) => {
    expect(lifeline(makeDates(-2 * day, leftMs, 28 * day), now, true).tone).toBe(tone)
    expect(lifeline(makeDates(-29 * day, 5 * day, leftMs), now, true).tone).toBe(tone)
  })

  it('has parts between 0 and 1 that sum to 1, or to at most 1 without renewal, for any dates', () => {
    const offset = fc.integer({ min: -40 * day, max: 40 * day })
    fc.assert(
      fc.property(
        offset,
        offset,
        offset,
        fc.boolean(),
        (createdOffset, expiryOffset, endOffset, canRenew) => {
          const line = lifeline(makeDates(createdOffset, expiryOffset, endOffset), now, canRenew)
          const parts = [line.lived, line.valid, line.renewable]
          for (const part of parts) {
            expect(part).toBeGreaterThanOrEqual(0)
            expect(part).toBeLessThanOrEqual(1)
          }
          const sum = line.lived + line.valid + line.renewable
          if (canRenew) expect(sum).toBeCloseTo(1, 9)
          else expect(sum).toBeLessThanOrEqual(1 + 1e-9)
          if (line.tone === 'over') expect(line.valid).toBe(0)
        },
      ),
    )
  })

  it('has a lived part that never shrinks over time', () => {
    fc.assert(
      fc.property(fc.nat(40 * day), fc.nat(40 * day), (a, b) => {
        const file = makeDates(0, 3 * day, 30 * day)
        const [sooner, later] = [Math.min(a, b), Math.max(a, b)]
        expect(lifeline(file, fromNow(sooner), true).lived).toBeLessThanOrEqual(
          lifeline(file, fromNow(later), true).lived,
        )
      }),
    )
  })
})

function makeLifeline(lived: number, valid: number, renewable: number): Lifeline {
  return {
    lived,
    valid,
    renewable,
    tone: 'calm',
  }
}

const anyLifeline = fc
  .tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.boolean(),
  )
  .map(([a, b, canRenew]) => {
    const [lived, end] = a < b ? [a, b] : [b, a]
    return makeLifeline(lived, end - lived, canRenew ? 1 - end : 0)
  })

describe('lifelineBar', () => {
  test('draws the parts next to each other', () => {
    expect(lifelineBar(makeLifeline(0.1, 0.08, 0.82))).toEqual({
      lived: { x: 0, width: 9.4 },
      valid: { x: 10, width: 7.4 },
      renewable: { x: 18, width: 82 },
    })
  })

  test('draws no lived part for a new file', () => {
    expect(lifelineBar(makeLifeline(0, 0.1, 0.9)).lived.width).toBe(0)
  })

  test('leaves a part that can’t be renewed empty, without a gap before it', () => {
    expect(lifelineBar(makeLifeline(0.5, 0.1, 0))).toEqual({
      lived: { x: 0, width: 49.4 },
      valid: { x: 50, width: 10 },
      renewable: { x: 60, width: 0 },
    })
  })

  test('never lets parts overlap or leave the bar, and keeps the valid part visible', () => {
    fc.assert(
      fc.property(anyLifeline, (line) => {
        const { lived, valid, renewable } = lifelineBar(line)
        expect(lived.x + lived.width).toBeLessThanOrEqual(valid.x + 0.011)
        expect(valid.x + valid.width).toBeLessThanOrEqual(renewable.x + 0.011)
        expect(renewable.x + renewable.width).toBeLessThanOrEqual(100.011)
        for (const part of [lived, valid, renewable]) expect(part.width).toBeGreaterThanOrEqual(0)
        if (line.valid > 0) expect(valid.width).toBeGreaterThan(1.5)
        else expect(valid.width).toBe(0)
      }),
    )
  })
})
