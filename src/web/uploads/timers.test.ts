import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { browserTimers, repeat, throttle } from './timers.ts'

let runs: number[]
function task() {
  return runs.push(Date.now())
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  runs = []
})
afterEach(() => {
  vi.useRealTimers()
})

test('throttled calls run once immediately, then once per interval and always after the last call', () => {
  const trigger = throttle(browserTimers, 100, task)
  for (let at = 0; at < 250; at += 10) {
    trigger()
    vi.advanceTimersByTime(10)
  }
  expect(runs).toEqual([0, 100, 200])
  vi.advanceTimersByTime(1000)
  expect(runs).toEqual([0, 100, 200, 300])
  expect(vi.getTimerCount()).toBe(0)
})

test('a task repeats until it returns false, and can be restarted', () => {
  let remaining = 3
  const schedule = repeat(browserTimers, 100, () => {
    task()
    remaining -= 1
    return remaining > 0
  })
  schedule()
  schedule()
  vi.advanceTimersByTime(1000)
  expect(runs).toEqual([100, 200, 300])
  expect(vi.getTimerCount()).toBe(0)
  remaining = 1
  schedule()
  vi.advanceTimersByTime(1000)
  expect(runs).toHaveLength(4)
})

test("a cancelled task doesn't run", () => {
  browserTimers.runAfter(100, task)()
  vi.advanceTimersByTime(1000)
  expect(runs).toEqual([])
})
