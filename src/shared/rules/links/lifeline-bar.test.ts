import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Lifeline } from './lifeline.ts'
import { lifelineBar } from './lifeline.ts'

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
