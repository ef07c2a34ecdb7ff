import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { browserTimers, throttle } from './timers.ts'

let runTimes: number[]
function recordRun() {
  return runTimes.push(Date.now())
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  runTimes = []
})
afterEach(() => {
  vi.useRealTimers()
})

test('throttled calls run once immediately, then once per interval and always after the last call', () => {
  const runThrottled = throttle(browserTimers, 100, recordRun)
  for (let at = 0; at < 250; at += 10) {
    runThrottled()
    vi.advanceTimersByTime(10)
  }
  expect(runTimes).toEqual([0, 100, 200])
  vi.advanceTimersByTime(1000)
  expect(runTimes).toEqual([0, 100, 200, 300])
  expect(vi.getTimerCount()).toBe(0)
})

test("a cancelled task doesn't run", () => {
  browserTimers.runAfter(100, recordRun)()
  vi.advanceTimersByTime(1000)
  expect(runTimes).toEqual([])
})
