import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { axisTicks, barAt, barPlace, barScale } from './bar-scale.ts'

const counts = fc.array(fc.nat({ max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 60 })
const places = fc
  .integer({ min: 1, max: 60 })
  .chain((count) => fc.tuple(fc.integer({ min: 0, max: count - 1 }), fc.constant(count)))

describe('the scale of bars', () => {
  it.each([
    [[0], 1, [0], null],
    [[0, 0, 0], 1, [0], null],
    [[1], 1, [0, 1], 0],
    [[0, 2, 1], 2, [0, 1, 2], 1],
    [[5, 3, 5], 5, [0, 2, 4], 0],
    [[3, 61, 9], 61, [0, 20, 40, 60], 1],
    [[1_000_000], 1_000_000, [0, 500_000, 1_000_000], 0],
  ])('of %j', (values, top, lines, peak) => {
    expect(barScale(values)).toEqual({ top, lines, peak })
  })

  it('of any counts: the lines are whole numbers within it, and its peak is a highest bar', () => {
    fc.assert(
      fc.property(counts, (values) => {
        const { top, lines, peak } = barScale(values)
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

describe('the place of a bar', () => {
  it('is where the pointer finds it, and touches no other', () => {
    fc.assert(
      fc.property(places, ([index, count]) => {
        const { x, width, middle } = barPlace(index, count)
        for (const within of [x, middle, x + width]) expect(barAt(within / 100, count)).toBe(index)
        expect(x).toBeGreaterThan(0)
        expect(x + width).toBeLessThan(100)
      }),
    )
  })

  it.each([
    [-0.1, 0],
    [0, 0],
    [0.5, 15],
    [1, 29],
    [1.2, 29],
  ])('at %d of the width is bar %i of 30', (place, index) => {
    expect(barAt(place, 30)).toBe(index)
  })
})

describe('the words below the bars', () => {
  it.each([
    [0, []],
    [1, [0]],
    [2, [0, 1]],
    [7, [0, 2, 4, 6]],
    [30, [0, 5, 10, 15, 20, 25, 29]],
    [31, [0, 6, 12, 18, 24, 30]],
  ])('of %i', (count, ticks) => {
    expect(axisTicks(count)).toEqual(ticks)
  })

  it('are in order, few, and end with the last bar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (count) => {
        const ticks = axisTicks(count)
        expect(ticks).toEqual([...new Set(ticks)].toSorted((a, b) => a - b))
        expect(ticks.length).toBeLessThanOrEqual(7)
        expect(ticks.at(-1)).toBe(count - 1)
      }),
    )
  })
})
