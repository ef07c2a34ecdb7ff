import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createServerClock, readResponseDate } from './server-clock.ts'

const start = Date.parse('2026-03-29T00:59:58.250Z')

/**
 * Simulates a browser clock that is `offset` milliseconds behind the server's clock. `time` is the
 * server's time.
 */
function simulateClocks(offset: number) {
  let time = start
  let currentOffset = offset
  const clock = createServerClock(() => time - currentOffset)
  /** Simulates a response. The latencies are in milliseconds. */
  const respond = (requestLatency: number, responseLatency: number) => {
    const sentAt = time - currentOffset
    time += requestLatency
    const date = readResponseDate(new Headers({ date: new Date(time).toUTCString() }))
    time += responseLatency
    if (date) clock.observe({ date, sentAt, receivedAt: time - currentOffset })
  }
  return {
    clock,
    respond,
    wait: (ms: number) => {
      time += ms
    },
    setBrowser: (next: number) => {
      currentOffset = next
    },
    error: () => clock.now() - time,
  }
}

test('equals the browser’s clock before any response', () => {
  expect(createServerClock(() => 5).now()).toBe(5)
})

test('does not change a correct clock, however slow the responses are', () => {
  const { respond, error } = simulateClocks(0)
  for (const [requestLatency, responseLatency] of [
    [0, 0],
    [20, 30_000],
    [30_000, 20],
    [400, 700],
  ] as const) {
    respond(requestLatency, responseLatency)
    expect(error()).toBe(0)
  }
})

test.each([-86_400_000, -3_600_000, -5000, 5000, 3_600_000, 40 * 86_400_000])(
  'corrects a clock that is off by %d ms to within a second after one fast response',
  (offset) => {
    const { respond, error } = simulateClocks(offset)
    respond(10, 20)
    expect(Math.abs(error())).toBeLessThanOrEqual(1030)
  },
)

test('a slow response does not degrade the estimate from an earlier fast one', () => {
  const { respond, error } = simulateClocks(3_600_000)
  respond(10, 20)
  respond(25_000, 4000)
  respond(0, 40_000)
  expect(Math.abs(error())).toBeLessThanOrEqual(1030)
})

test('a fast response improves the estimate from an earlier slow one', () => {
  const { respond, error } = simulateClocks(3_600_000)
  respond(100, 9000)
  expect(Math.abs(error())).toBeLessThanOrEqual(10_100)
  respond(10, 20)
  expect(Math.abs(error())).toBeLessThanOrEqual(1030)
})

test('follows changes of the browser clock in both directions', () => {
  const { respond, setBrowser, error } = simulateClocks(0)
  respond(10, 20)
  setBrowser(7_200_000)
  respond(10, 20)
  expect(Math.abs(error())).toBeLessThanOrEqual(1030)
  setBrowser(0)
  respond(10, 20)
  expect(Math.abs(error())).toBeLessThanOrEqual(1030)
})

test('the error never exceeds the error bound of the fastest response', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.array(fc.record({ wait: fc.nat(5000), there: fc.nat(20_000), back: fc.nat(20_000) }), {
        minLength: 1,
        maxLength: 20,
      }),
      (offset, exchanges) => {
        const { respond, wait, error } = simulateClocks(offset)
        let smallestBound = Number.POSITIVE_INFINITY
        for (const exchange of exchanges) {
          wait(exchange.wait)
          respond(exchange.there, exchange.back)
          // The error bound of the fastest response so far: one second for the rounded date, plus
          // both latencies.
          smallestBound = Math.min(smallestBound, 1000 + exchange.there + exchange.back)
          expect(Math.abs(error())).toBeLessThanOrEqual(smallestBound)
        }
      },
    ),
  )
})

test('is exact after a fast response with an exact time', () => {
  const clock = createServerClock(() => 1000)
  clock.observe({ date: { from: 90_000, to: 90_000 }, sentAt: 1000, receivedAt: 1000 })
  expect(clock.now()).toBe(90_000)
})

test('ignores a response that seems to arrive before its request was sent', () => {
  const clock = createServerClock(() => 1)
  clock.observe({ date: { from: 9e9, to: 9e9 }, sentAt: 5, receivedAt: 4 })
  expect(clock.now()).toBe(1)
})

describe('the Date header', () => {
  const date = 'Sun, 29 Mar 2026 01:00:00 GMT'

  test('can mean any time within its second', () => {
    const secondStartMs = Date.parse('2026-03-29T01:00:00Z')
    const headers = new Headers({ date, 'cache-control': 'no-store' })
    expect(readResponseDate(headers)).toEqual({ from: secondStartMs, to: secondStartMs + 1000 })
  })

  test.each([{}, { date: '' }, { date: 'soon' }])(
    'is ignored if missing or invalid: %j',
    (headers) => {
      expect(readResponseDate(new Headers(headers as Record<string, string>))).toBeNull()
    },
  )

  test('of a cacheable response is ignored', () => {
    const headers = new Headers({ date, 'cache-control': 'public, max-age=300' })
    expect(readResponseDate(headers)).toBeNull()
  })
})
