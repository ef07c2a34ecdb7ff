import { beforeEach, describe, expect, test } from 'vitest'
import { LineWatch } from './line-watch.ts'

const partSize = 8_000_000

let now: number
let watch: LineWatch
/** The parts that gave way, in order. */
let gaveWay: number[]

beforeEach(() => {
  now = 0
  watch = new LineWatch(partSize, () => now)
  gaveWay = []
})

const begin = (partNumber: number, size = partSize) =>
  watch.begin(partNumber, size, () => {
    gaveWay.push(partNumber)
    watch.end(partNumber, 'lost')
  })

/** Each part under way sends so many bytes a second, from one second to another. */
const travel = (fromS: number, untilS: number, paces: Record<number, number>, buffered = 0) => {
  for (let second = fromS; second <= untilS; second += 1) {
    now = second * 1000
    for (const [partNumber, bytes] of Object.entries(paces)) {
      watch.sent(Number(partNumber), bytes * second + buffered)
    }
  }
}

describe('parts that will not arrive in time', () => {
  test('give way after a minute, not before, those of which the least is lost', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    travel(0, 59, { 1: 5000, 2: 5000, 3: 5100, 4: 4900 })
    expect(gaveWay).toEqual([])
    travel(60, 62, { 1: 5000, 2: 5000, 3: 5100, 4: 4900 })
    expect(gaveWay).toEqual([4, 2, 1])
    expect([watch.sending, watch.lanes]).toEqual([1, 1])
  })

  test('give way only as far as the line is too slow for', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    travel(0, 90, { 1: 12_000, 2: 12_000, 3: 12_000, 4: 12_000 })
    expect(gaveWay).toHaveLength(2)
    expect([watch.sending, watch.lanes]).toEqual([2, 2])
  })

  test('are judged anew by the pace they have then', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    travel(0, 60, { 1: 12_000, 2: 12_000, 3: 12_000, 4: 12_000 })
    const left = [1, 2, 3, 4].filter((partNumber) => !gaveWay.includes(partNumber))
    // As before, and no faster: the line has halved.
    const paces = Object.fromEntries(left.map((partNumber) => [partNumber, 12_000]))
    travel(61, 109, paces)
    expect(gaveWay).toHaveLength(2)
    travel(110, 112, paces)
    expect(gaveWay).toHaveLength(3)
    travel(113, 600, paces)
    expect([gaveWay.length, watch.sending]).toEqual([3, 1])
  })

  test('are judged by what leaves, not by what the system has buffered', () => {
    for (const partNumber of [1, 2]) begin(partNumber)
    travel(0, 62, { 1: 10_000, 2: 10_000 }, 5_000_000)
    expect(gaveWay).toHaveLength(1)
  })

  test('never leave a line to nobody', () => {
    begin(1)
    travel(0, 599, { 1: 10 })
    expect(gaveWay).toEqual([])
  })

  test('give way to one that waits for its answer too, which does not', () => {
    begin(1, 300_000)
    begin(2)
    travel(0, 70, { 1: 10_000, 2: 10_000 })
    expect(gaveWay).toEqual([2])
  })
})

describe('a line that is fast enough', () => {
  test.each([
    [16_000, 4],
    [31_000, 4],
    [30_000, 2],
    [15_000, 1],
  ])('lets all go on (%i bytes a second, %i at once)', (pace, lanes) => {
    const parts = Array.from({ length: lanes }, (_, at) => at + 1)
    for (const partNumber of parts) begin(partNumber)
    travel(0, 500, Object.fromEntries(parts.map((partNumber) => [partNumber, pace])))
    expect(gaveWay).toEqual([])
  })

  test('is judged by the parts that arrived, as many as travelled', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    now = 400
    for (const partNumber of [1, 2, 3, 4]) watch.end(partNumber, 'held')
    expect(watch.lanes).toBe(5)
  })
})

describe('a try that does not finish', () => {
  /** Two parts at so many bytes a second, of which the first ends without an answer after so long. */
  const lose = (pace: number, seconds: number) => {
    for (const partNumber of [1, 2]) begin(partNumber)
    travel(0, seconds, { 1: pace, 2: pace })
    watch.end(1, 'timed-out')
  }

  test.each([
    [30_000, 61, 2],
    [200_000, 30, 4],
  ])('at %i bytes a second tells after %i s what the line carries: %i', (pace, seconds, lanes) => {
    lose(pace, seconds)
    expect(watch.lanes).toBe(lanes)
  })

  test('and ends together with others counts as one of all of them', () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    travel(0, 150, { 1: 25_000, 2: 25_000, 3: 25_000, 4: 25_000 })
    for (const partNumber of [1, 2, 3, 4]) watch.end(partNumber, 'timed-out')
    expect(watch.lanes).toBe(2)
  })

  test('says nothing once all of it has left: then it was the answer that did not come', () => {
    begin(1)
    travel(0, 5, { 1: partSize })
    now = 500_000
    watch.end(1, 'timed-out')
    expect(watch.lanes).toBe(4)
  })

  test('counts more than what the line carried before', () => {
    for (const partNumber of [1, 2, 3, 4]) {
      begin(partNumber)
      now += 100
      watch.end(partNumber, 'held')
    }
    expect(watch.lanes).toBe(5)
    lose(15_000, 1)
    for (const partNumber of [1, 2]) begin(partNumber)
    const from = now / 1000
    for (let second = 0; second <= 62; second += 1) {
      now = (from + second) * 1000
      for (const partNumber of [1, 2]) watch.sent(partNumber, 10_000 * second)
    }
    expect([watch.sending, watch.lanes]).toEqual([1, 1])
  })
})

describe('a line that is gone for a while', () => {
  /** Four parts of which something leaves for 11 s, and then nothing for a minute. */
  const pauseAMinute = () => {
    for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
    travel(0, 11, { 1: 100_000, 2: 100_000, 3: 100_000, 4: 100_000 })
    now = 71_000
  }
  const arrive = (partNumber: number) => {
    begin(partNumber)
    now += 800
    watch.end(partNumber, 'held')
    return watch.lanes
  }

  test('tells nothing of what it carries', () => {
    pauseAMinute()
    for (const partNumber of [1, 2, 3, 4]) watch.end(partNumber, 'lost')
    expect(watch.lanes).toBe(4)
    expect([1, 2, 3, 4].map(arrive)).toEqual([4, 4, 4, 4])
  })

  test('until a request is out of time is judged by the next part that arrives', () => {
    pauseAMinute()
    now = 600_000
    for (const partNumber of [1, 2, 3, 4]) watch.end(partNumber, 'timed-out')
    expect(watch.lanes).toBe(1)
    expect([1, 2, 3, 4].map(arrive)).toEqual([4, 4, 4, 4])
  })
})

test('a part that others gave way to counts as one that travelled with those that were left', () => {
  for (const partNumber of [1, 2, 3, 4]) begin(partNumber)
  travel(0, 60, { 1: 5200, 2: 5100, 3: 5100, 4: 5300 })
  expect(gaveWay).toEqual([2, 3, 1])
  now = 450_000
  watch.end(4, 'held')
  expect(watch.lanes).toBe(1)
})

test('what is not under way tells nothing', () => {
  watch.sent(7, 1000)
  watch.end(7, 'held')
  expect([watch.sending, watch.lanes]).toEqual([0, 4])
})
