import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  givingWay,
  lanesFor,
  maxLanes,
  nextPart,
  type PartTime,
  withPartTime,
} from './part-lanes.ts'

describe('how many parts travel at once', () => {
  test('four before anything is known of the line', () => {
    expect(lanesFor([])).toBe(4)
  })

  test.each([
    { ms: 200, lanes: 4, expected: 5, why: 'a fast line: the answers are what is waited for' },
    { ms: 1340, lanes: 4, expected: 5, why: '8 MiB over 200 Mbit/s' },
    { ms: 4000, lanes: 4, expected: 4, why: '8 MiB over 67 Mbit/s' },
    { ms: 29_000, lanes: 4, expected: 4, why: 'just short enough' },
    { ms: 33_000, lanes: 4, expected: 3, why: '8 MiB over 8 Mbit/s' },
    { ms: 134_000, lanes: 4, expected: 2, why: '8 MiB over 2 Mbit/s' },
    { ms: 536_000, lanes: 4, expected: 2, why: '8 MiB over 0.5 Mbit/s' },
    { ms: 540_000, lanes: 2, expected: 2, why: 'just short enough for two' },
    { ms: 545_000, lanes: 2, expected: 1, why: 'neither of two might come through in time' },
    { ms: 1_677_000, lanes: 4, expected: 1, why: '8 MiB over 20 KB/s' },
    { ms: 419_000, lanes: 1, expected: 1, why: 'one stays one on the same line' },
    { ms: Number.POSITIVE_INFINITY, lanes: 3, expected: 1, why: 'nothing leaves any more' },
    { ms: 24_000, lanes: 3, expected: 3, why: 'three stay three on the same line' },
  ])('$expected lanes where a part takes $ms ms among $lanes: $why', ({ ms, lanes, expected }) => {
    expect(lanesFor([{ ms, lanes }])).toBe(expected)
  })

  const times = fc.array(
    fc.record({ ms: fc.integer({ min: 0, max: 600_000 }), lanes: fc.integer({ min: 1, max: 5 }) }),
    { maxLength: 12 },
  )

  test('always from one to five, and two or more where two come through in time', () => {
    fc.assert(
      fc.property(times, (all) => {
        const lanes = lanesFor(all)
        expect(Number.isInteger(lanes)).toBe(true)
        const inTime = all.every(({ ms, lanes }) => (2 * ms) / lanes <= 540_000)
        expect(lanes).toBeGreaterThanOrEqual(inTime ? 2 : 1)
        expect(lanes).toBeLessThanOrEqual(maxLanes)
      }),
    )
  })

  test('a slower line never gets more lanes', () => {
    fc.assert(
      fc.property(times, fc.double({ min: 1, max: 100, noNaN: true }), (all, factor) => {
        fc.pre(all.length > 0)
        const slower = all.map(({ ms, lanes }) => ({ ms: ms * factor, lanes }))
        expect(lanesFor(slower)).toBeLessThanOrEqual(lanesFor(all))
      }),
    )
  })

  test('on a line that does not change the number settles at once and keeps parts under 30 s', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900_000 }), (alone) => {
        const first = lanesFor([{ ms: alone * 4, lanes: 4 }])
        expect(lanesFor([{ ms: alone * first, lanes: first }])).toBe(first)
        if (first > 2) expect(alone * first).toBeLessThanOrEqual(30_000)
      }),
    )
  })

  test('only the last few parts count', () => {
    const slow: PartTime = { ms: 200_000, lanes: 4 }
    const fast: PartTime = { ms: 1000, lanes: 2 }
    let known: readonly PartTime[] = []
    for (const time of [slow, slow, slow, fast, fast, fast, fast]) known = withPartTime(known, time)
    expect(lanesFor(known)).toBe(5)
  })
})

describe('how many give way', () => {
  test.each([
    { ms: 540_000, lanes: 4, expected: 0, why: 'it comes through in time' },
    { ms: 671_000, lanes: 4, expected: 2, why: '50 KB/s carry two' },
    { ms: 1_677_000, lanes: 4, expected: 3, why: '20 KB/s carry one' },
    { ms: 839_000, lanes: 2, expected: 1, why: 'the same line, two of two' },
    { ms: 560_000, lanes: 2, expected: 1, why: 'two that are just too slow' },
    { ms: 5_000_000, lanes: 1, expected: 0, why: 'never the last one' },
    { ms: Number.POSITIVE_INFINITY, lanes: 5, expected: 4, why: 'nothing leaves any more' },
  ])('$expected of $lanes that take $ms ms: $why', ({ ms, lanes, expected }) => {
    expect(givingWay({ ms, lanes })).toBe(expected)
  })

  test('what is left comes through on the same line, or is the last', () => {
    const line = fc.record({
      alone: fc.integer({ min: 1, max: 2_000_000 }),
      lanes: fc.integer({ min: 1, max: 5 }),
    })
    fc.assert(
      fc.property(line, ({ alone, lanes }) => {
        const left = lanes - givingWay({ ms: alone * lanes, lanes })
        expect(left).toBeGreaterThanOrEqual(1)
        if (left > 1) expect(alone * left).toBeLessThanOrEqual(540_000)
      }),
    )
  })
})

describe('which part is next', () => {
  const map = (numbers: Iterable<number>) => new Map([...numbers].map((n) => [n, n]))

  test('the lowest number that is neither held nor in flight', () => {
    expect(nextPart(5, map([]), map([]))).toBe(1)
    expect(nextPart(5, map([1, 3]), map([2]))).toBe(4)
    expect(nextPart(5, map([2, 3]), map([4]))).toBe(1)
  })

  test('none when all are held or in flight', () => {
    expect(nextPart(3, map([1, 2]), map([3]))).toBeNull()
    expect(nextPart(0, map([]), map([]))).toBeNull()
  })

  test('taking what is next takes every missing part once, in order', () => {
    const parts = fc.uniqueArray(fc.integer({ min: 1, max: 40 }))
    fc.assert(
      fc.property(parts, fc.integer({ min: 0, max: 40 }), (already, count) => {
        const held = map(already)
        const taken: number[] = []
        const inFlight = new Map<number, number>()
        for (let n = nextPart(count, held, inFlight); n; n = nextPart(count, held, inFlight)) {
          taken.push(n)
          inFlight.set(n, 0)
        }
        const missing = Array.from({ length: count }, (_, at) => at + 1).filter((n) => !held.has(n))
        expect(taken).toEqual(missing)
      }),
    )
  })
})
