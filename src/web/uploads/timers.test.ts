import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { browserTimers, coalesce, repeat } from './timers.ts'

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

test('coalesced calls run once immediately, then once per interval and always after the last call', () => {
  const ask = coalesce(browserTimers, 100, task)
  for (let at = 0; at < 250; at += 10) {
    ask()
    vi.advanceTimersByTime(10)
  }
  expect(runs).toEqual([0, 100, 200])
  vi.advanceTimersByTime(1000)
  expect(runs).toEqual([0, 100, 200, 300])
  expect(vi.getTimerCount()).toBe(0)
})

test('a task repeats until it returns false, and can be restarted', () => {
  let left = 3
  const wake = repeat(browserTimers, 100, () => {
    task()
    left -= 1
    return left > 0
  })
  wake()
  wake()
  vi.advanceTimersByTime(1000)
  expect(runs).toEqual([100, 200, 300])
  expect(vi.getTimerCount()).toBe(0)
  left = 1
  wake()
  vi.advanceTimersByTime(1000)
  expect(runs).toHaveLength(4)
})

test("a cancelled task doesn't run", () => {
  browserTimers.runAfter(100, task)()
  vi.advanceTimersByTime(1000)
  expect(runs).toEqual([])
})
