import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createServerClock, readNewDate } from './server-clock.ts'

const start = Date.parse('2026-03-29T00:59:58.250Z')

/**
 * Simulates a browser whose clock is `ahead` milliseconds behind the server's. `time` is the
 * server's time.
 */
function world(ahead: number) {
  let time = start
  let wrong = ahead
  const clock = createServerClock(() => time - wrong)
  /**
   * Simulates a response. `there` and `back` are the latencies of the request and the response, in
   * milliseconds.
   */
  const response = (there: number, back: number) => {
    const sentAt = time - wrong
    time += there
    const date = readNewDate(new Headers({ date: new Date(time).toUTCString() }))
    time += back
    if (date) clock.learn({ date, sentAt, receivedAt: time - wrong })
  }
  return {
    clock,
    answer: response,
    wait: (ms: number) => {
      time += ms
    },
    setBrowser: (next: number) => {
      wrong = next
    },
    error: () => clock.now() - time,
  }
}

test('is the browser’s clock before any response', () => {
  expect(createServerClock(() => 5).now()).toBe(5)
})

test('leaves a correct clock alone, however slow the responses are', () => {
  const { answer: response, error } = world(0)
  for (const [there, back] of [
    [0, 0],
    [20, 30_000],
    [30_000, 20],
    [400, 700],
  ] as const) {
    response(there, back)
    expect(error()).toBe(0)
  }
})

test.each([-86_400_000, -3_600_000, -5000, 5000, 3_600_000, 40 * 86_400_000])(
  'corrects a clock that is off by %d ms to within a second after one fast response',
  (ahead) => {
    const { answer: response, error } = world(ahead)
    response(10, 20)
    expect(Math.abs(error())).toBeLessThanOrEqual(515)
  },
)

test('a slow response does not degrade an earlier fast one', () => {
  const { answer: response, error } = world(3_600_000)
  response(10, 20)
  response(25_000, 4000)
  response(0, 40_000)
  expect(Math.abs(error())).toBeLessThanOrEqual(515)
})

test('a fast response improves on a slow first one', () => {
  const { answer: response, error } = world(3_600_000)
  response(100, 9000)
  expect(Math.abs(error())).toBeLessThanOrEqual(5050)
  response(10, 20)
  expect(Math.abs(error())).toBeLessThanOrEqual(515)
})

test('follows changes of the browser clock in both directions', () => {
  const { answer: response, setBrowser, error } = world(0)
  response(10, 20)
  setBrowser(7_200_000)
  response(10, 20)
  expect(Math.abs(error())).toBeLessThanOrEqual(515)
  setBrowser(0)
  response(10, 20)
  expect(error()).toBe(0)
})

test('the error never exceeds that of the fastest response', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.array(fc.record({ wait: fc.nat(5000), there: fc.nat(20_000), back: fc.nat(20_000) }), {
        minLength: 1,
        maxLength: 20,
      }),
      (ahead, answers) => {
        const { answer: response, wait, error } = world(ahead)
        let best = Number.POSITIVE_INFINITY
        for (const one of answers) {
          wait(one.wait)
          response(one.there, one.back)
          // The maximum error of the fastest response so far: one second for the rounded date, plus
          // the latencies.
          best = Math.min(best, 1000 + one.there + one.back)
          expect(Math.abs(error())).toBeLessThanOrEqual(best)
        }
      },
    ),
  )
})

test('is exact after a fast response with an exact time', () => {
  const clock = createServerClock(() => 1000)
  clock.learn({ date: { from: 90_000, to: 90_000 }, sentAt: 990, receivedAt: 1010 })
  expect(clock.now()).toBe(90_000)
})

test('ignores a response that arrived before its request', () => {
  const clock = createServerClock(() => 1)
  clock.learn({ date: { from: 9e9, to: 9e9 }, sentAt: 5, receivedAt: 4 })
  expect(clock.now()).toBe(1)
})

describe('the Date header', () => {
  const date = 'Sun, 29 Mar 2026 01:00:00 GMT'

  test('stands for any time within its second', () => {
    const from = Date.parse('2026-03-29T01:00:00Z')
    const headers = new Headers({ date, 'cache-control': 'no-store' })
    expect(readNewDate(headers)).toEqual({ from, to: from + 1000 })
  })

  test.each([{}, { date: '' }, { date: 'soon' }])(
    'is ignored if missing or invalid: %j',
    (headers) => {
      expect(readNewDate(new Headers(headers as Record<string, string>))).toBeNull()
    },
  )

  test('of a cacheable response is ignored', () => {
    const headers = new Headers({ date, 'cache-control': 'public, max-age=300' })
    expect(readNewDate(headers)).toBeNull()
  })
})

test('notifies listeners only of a new correction, until they unsubscribe', () => {
  const clock = createServerClock(() => 0)
  let told = 0
  const leave = clock.subscribe(() => {
    told += 1
  })
  const response = (moment: number) => ({
    date: { from: moment, to: moment + 1000 },
    sentAt: 0,
    receivedAt: 10,
  })
  const late = response(3_600_000)
  clock.learn(response(0))
  expect(told).toBe(0)
  clock.learn(late)
  clock.learn(late)
  expect(told).toBe(1)
  leave()
  clock.learn(response(7_200_000))
  expect(told).toBe(1)
})
