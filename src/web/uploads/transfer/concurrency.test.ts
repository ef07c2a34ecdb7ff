import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { Concurrency, limitFor, maxConcurrency } from './concurrency.ts'

const partSize = 8_000_000

let now: number
let concurrency: Concurrency
/** The numbers of the parts that were stopped, in order. */
let stopped: number[]

beforeEach(() => {
  now = 0
  concurrency = new Concurrency(partSize, () => now)
  stopped = []
})

function begin(partNumber: number, size = partSize) {
  return concurrency.begin(partNumber, size, () => {
    stopped.push(partNumber)
    concurrency.end(partNumber, 'lost')
  })
}

/**
 * Reports sent bytes once a second, from one second to another. `paces` has the bytes per second of
 * each part.
 */
function travel(fromS: number, untilS: number, paces: Record<number, number>, buffered = 0) {
  for (let second = fromS; second <= untilS; second += 1) {
    now = second * 1000
    for (const [partNumber, bytes] of Object.entries(paces)) {
      concurrency.sent(Number(partNumber), bytes * second + buffered)
    }
  }
}

describe('the limit by the parts that arrived', () => {
  test('four before anything is known of the line', () => {
    expect(limitFor([])).toBe(4)
  })

  test.each([
    { ms: 200, together: 4, expected: 5, why: 'a fast line: the answers are what is waited for' },
    { ms: 1340, together: 4, expected: 5, why: '8 MiB over 200 Mbit/s' },
    { ms: 4000, together: 4, expected: 4, why: '8 MiB over 67 Mbit/s' },
    { ms: 29_000, together: 4, expected: 4, why: 'just short enough' },
    { ms: 33_000, together: 4, expected: 3, why: '8 MiB over 8 Mbit/s' },
    { ms: 134_000, together: 4, expected: 2, why: '8 MiB over 2 Mbit/s' },
    { ms: 536_000, together: 4, expected: 2, why: '8 MiB over 0.5 Mbit/s' },
    { ms: 540_000, together: 2, expected: 2, why: 'just short enough for two' },
    { ms: 545_000, together: 2, expected: 1, why: 'neither of two might come through in time' },
    { ms: 1_677_000, together: 4, expected: 1, why: '8 MiB over 20 KB/s' },
    { ms: 419_000, together: 1, expected: 1, why: 'one stays one on the same line' },
    { ms: Number.POSITIVE_INFINITY, together: 3, expected: 1, why: 'nothing leaves any more' },
    { ms: 24_000, together: 3, expected: 3, why: 'three stay three on the same line' },
  ])('$expected where a part takes $ms ms among $together: $why', ({ ms, together, expected }) => {
    expect(limitFor([{ ms, together }])).toBe(expected)
  })

  const times = fc.array(
    fc.record({
      ms: fc.integer({ min: 0, max: 600_000 }),
      together: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 12 },
  )

  test('always from one to five, and two or more where two come through in time', () => {
    fc.assert(
      fc.property(times, (all) => {
        const limit = limitFor(all)
        expect(Number.isInteger(limit)).toBe(true)
        const inTime = all.every(({ ms, together }) => (2 * ms) / together <= 540_000)
        expect(limit).toBeGreaterThanOrEqual(inTime ? 2 : 1)
        expect(limit).toBeLessThanOrEqual(maxConcurrency)
      }),
    )
  })

  test('a slower line never gets a higher limit', () => {
    fc.assert(
      fc.property(times, fc.double({ min: 1, max: 100, noNaN: true }), (all, factor) => {
        fc.pre(all.length > 0)
        const slower = all.map(({ ms, together }) => ({ ms: ms * factor, together }))
        expect(limitFor(slower)).toBeLessThanOrEqual(limitFor(all))
      }),
    )
  })

  test('on a line that does not change the number settles at once and keeps parts under 30 s', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900_000 }), (alone) => {
        const first = limitFor([{ ms: alone * 4, together: 4 }])
        expect(limitFor([{ ms: alone * first, together: first }])).toBe(first)
        if (first > 2) expect(alone * first).toBeLessThanOrEqual(30_000)
      }),
    )
  })
})

describe('parts that will not arrive in time', () => {
  test('are halved after a minute, not before: those are stopped that have sent least', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    travel(0, 59, { 1: 5000, 2: 5000, 3: 5100, 4: 4900 })
    expect(stopped).toEqual([])
    travel(60, 62, { 1: 5000, 2: 5000, 3: 5100, 4: 4900 })
    expect(stopped).toEqual([4, 2])
    expect([concurrency.inFlight, concurrency.limit]).toEqual([2, 2])
    travel(63, 112, { 1: 5000, 3: 5100 })
    expect(stopped).toEqual([4, 2, 1])
    expect([concurrency.inFlight, concurrency.limit]).toEqual([1, 1])
  })

  test('are halved no further than the line is too slow for', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    travel(0, 90, { 1: 12_000, 2: 12_000, 3: 12_000, 4: 12_000 })
    expect(stopped).toHaveLength(2)
    expect([concurrency.inFlight, concurrency.limit]).toEqual([2, 2])
  })

  test('are judged anew by the pace they have then', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    travel(0, 60, { 1: 12_000, 2: 12_000, 3: 12_000, 4: 12_000 })
    const left = [1, 2, 3, 4].filter((partNumber) => !stopped.includes(partNumber))
    // The connection has become half as fast. So the remaining parts keep their speed, although
    // half of the parts were stopped.
    const paces = Object.fromEntries(left.map((partNumber) => [partNumber, 12_000]))
    travel(61, 109, paces)
    expect(stopped).toHaveLength(2)
    travel(110, 112, paces)
    expect(stopped).toHaveLength(3)
    travel(113, 600, paces)
    expect([stopped.length, concurrency.inFlight]).toEqual([3, 1])
  })

  test('are judged by what leaves, not by what the system has buffered', () => {
    for (const partNumber of [1, 2]) begin(partNumber)
    travel(0, 62, { 1: 10_000, 2: 10_000 }, 5_000_000)
    expect(stopped).toHaveLength(1)
  })

  test('never leave a line to nobody', () => {
    begin(1)
    travel(0, 599, { 1: 10 })
    expect(stopped).toEqual([])
  })

  test('are stopped in favour of one that waits for its answer too, which is not', () => {
    begin(1, 300_000)
    begin(2)
    travel(0, 70, { 1: 10_000, 2: 10_000 })
    expect(stopped).toEqual([2])
  })
})

describe('a line that is fast enough', () => {
  test.each([
    [16_000, 4],
    [31_000, 4],
    [30_000, 2],
    [15_000, 1],
  ])('lets all go on (%i bytes a second, %i at once)', (pace, count) => {
    const parts = Array.from({ length: count }, (_, at) => at + 1)
    for (const partNumber of parts) begin(partNumber)
    travel(0, 500, Object.fromEntries(parts.map((partNumber) => [partNumber, pace])))
    expect(stopped).toEqual([])
  })

  test('is judged by the parts that arrived, as many as travelled', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    now = 400
    for (const partNumber of [1, 2, 3, 4]) concurrency.end(partNumber, 'held')
    expect(concurrency.limit).toBe(5)
  })

  test('is judged by the last few of them only', () => {
    const arrive = (ms: number, count: number) => {
      const parts = Array.from({ length: count }, (_, at) => at + 1)
      for (const partNumber of parts) begin(partNumber)
      now += ms
      for (const partNumber of parts) concurrency.end(partNumber, 'held')
    }
    arrive(200_000, 3)
    expect(concurrency.limit).toBe(2)
    arrive(1000, 2)
    expect(concurrency.limit).toBe(2)
    arrive(1000, 2)
    expect(concurrency.limit).toBe(5)
  })

  test('is not judged by the last part of a file, which is smaller', () => {
    begin(1, partSize - 1)
    now = 300_000
    concurrency.end(1, 'held')
    expect(concurrency.limit).toBe(4)
  })
})

describe('a part that times out', () => {
  test.each([
    [5, 2],
    [4, 2],
    [2, 1],
    [1, 1],
  ])('among %i leaves %i, however many of them do', (count, limit) => {
    const parts = Array.from({ length: count }, (_, at) => at + 1)
    for (const partNumber of parts) begin(partNumber)
    now = 600_000
    for (const partNumber of parts) concurrency.end(partNumber, 'timed-out')
    expect(concurrency.limit).toBe(limit)
    expect(stopped).toEqual([])
  })

  test('halves again what it has halved before', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    for (const partNumber of [1, 2, 3, 4]) concurrency.end(partNumber, 'timed-out')
    for (const partNumber of [1, 2]) begin(partNumber)
    for (const partNumber of [1, 2]) concurrency.end(partNumber, 'timed-out')
    expect(concurrency.limit).toBe(1)
  })

  test('never raises what was halved further meanwhile', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    for (const partNumber of [1, 2, 3]) concurrency.end(partNumber, 'lost')
    begin(5)
    concurrency.end(5, 'timed-out')
    concurrency.end(4, 'timed-out')
    expect(concurrency.limit).toBe(1)
  })

  test('says nothing once all of it has left: then it was the answer that did not come', () => {
    begin(1)
    travel(0, 5, { 1: partSize })
    now = 500_000
    concurrency.end(1, 'timed-out')
    expect(concurrency.limit).toBe(4)
  })

  test('counts more than what the line carried before', () => {
    for (const partNumber of [1, 2, 3, 4]) {
      begin(partNumber)
      now += 100
      concurrency.end(partNumber, 'held')
    }
    expect(concurrency.limit).toBe(5)
    for (const partNumber of [1, 2]) begin(partNumber)
    const from = now / 1000
    for (let second = 0; second <= 62; second += 1) {
      now = (from + second) * 1000
      for (const partNumber of [1, 2]) concurrency.sent(partNumber, 10_000 * second)
    }
    expect([concurrency.inFlight, concurrency.limit]).toEqual([1, 1])
    // The times of the fast parts were forgotten, so only the time of this part counts.
    now += 300_000
    concurrency.end(1, 'held')
    expect(concurrency.limit).toBe(1)
  })
})

describe('a line that is gone for a while', () => {
  /** Sends bytes of four parts for 11 s, and then nothing for a minute. */
  const pauseAMinute = () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    travel(0, 11, { 1: 100_000, 2: 100_000, 3: 100_000, 4: 100_000 })
    now = 71_000
  }
  const arrive = (partNumber: number) => {
    begin(partNumber)
    now += 800
    concurrency.end(partNumber, 'held')
    return concurrency.limit
  }

  test('tells nothing of what it carries', () => {
    pauseAMinute()
    for (const partNumber of [1, 2, 3, 4]) concurrency.end(partNumber, 'lost')
    expect(concurrency.limit).toBe(4)
    expect([1, 2, 3, 4].map(arrive)).toEqual([4, 4, 4, 4])
  })

  test('until a request is out of time is judged by the next part that arrives', () => {
    pauseAMinute()
    now = 600_000
    for (const partNumber of [1, 2, 3, 4]) concurrency.end(partNumber, 'timed-out')
    expect(concurrency.limit).toBe(2)
    expect([1, 2, 3, 4].map(arrive)).toEqual([4, 4, 4, 4])
  })
})

test('a part in whose favour others were stopped counts as one that travelled with those left', () => {
  for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
  travel(0, 112, { 1: 5200, 2: 5100, 3: 5100, 4: 5300 })
  expect(stopped).toEqual([2, 3, 1])
  now = 450_000
  concurrency.end(4, 'held')
  expect(concurrency.limit).toBe(1)
})

test('what is not under way tells nothing', () => {
  concurrency.sent(7, 1000)
  concurrency.end(7, 'held')
  expect([concurrency.inFlight, concurrency.limit]).toEqual([0, 4])
})
