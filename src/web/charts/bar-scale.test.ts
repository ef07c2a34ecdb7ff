import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { computeBarPosition, computeBarScale, selectAxisTicks } from './bar-scale.ts'

const counts = fc.array(fc.nat({ max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 60 })
const positions = fc
  .integer({ min: 1, max: 60 })
  .chain((count) => fc.tuple(fc.integer({ min: 0, max: count - 1 }), fc.constant(count)))

describe('computeBarScale', () => {
  it.each([
    [[0], 1, [0], null],
    [[0, 0, 0], 1, [0], null],
    [[1], 1, [0, 1], 0],
    [[0, 2, 1], 2, [0, 1, 2], 1],
    [[5, 3, 5], 5, [0, 2, 4], 0],
    [[3, 61, 9], 61, [0, 20, 40, 60], 1],
    [[1_000_000], 1_000_000, [0, 500_000, 1_000_000], 0],
  ])('computes the scale of %j', (values, top, lines, peak) => {
    expect(computeBarScale(values)).toEqual({ top, lines, peak })
  })

  it('has whole-number grid lines and the index of the highest bar', () => {
    fc.assert(
      fc.property(counts, (values) => {
        const { top, lines, peak } = computeBarScale(values)
        expect(top).toBe(Math.max(...values) || 1)
        expect(lines[0]).toBe(0)
        expect(lines.length).toBeLessThanOrEqual(7)
        for (const line of lines) {
          expect(Number.isInteger(line) && line >= 0 && line <= top).toBe(true)
        }
        expect(peak === null ? 0 : values[peak]).toBe(Math.max(...values))
      }),
    )
  })
})

test('bars don’t touch', () => {
  fc.assert(
    fc.property(positions, ([index, count]) => {
      const { x, width } = computeBarPosition(index, count)
      expect(x).toBeGreaterThan((index * 100) / count)
      expect(x + width).toBeLessThan(((index + 1) * 100) / count)
    }),
  )
})

describe('selectAxisTicks', () => {
  it.each([
    [0, []],
    [1, [0]],
    [2, [0, 1]],
    [7, [0, 2, 4, 6]],
    [30, [0, 5, 10, 15, 20, 25, 29]],
    [31, [0, 6, 12, 18, 24, 30]],
  ])('picks the expected labels for %i bars', (count, ticks) => {
    expect(selectAxisTicks(count)).toEqual(ticks)
  })

  it('returns at most 7 sorted indexes, ending with the last bar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (count) => {
        const ticks = selectAxisTicks(count)
        expect(ticks).toEqual([...new Set(ticks)].toSorted((a, b) => a - b))
        expect(ticks.length).toBeLessThanOrEqual(7)
        expect(ticks.at(-1)).toBe(count - 1)
      }),
    )
  })
})
