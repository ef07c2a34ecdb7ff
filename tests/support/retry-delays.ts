import { expect, vi } from 'vitest'
import { firstWaitMs, maxWaitMs } from '../../src/web/uploads/transfer/retry-policy.ts'

/**
 * Asserts that delays follow the retry policy: the first is the minimum, none is shorter than the
 * one before, and none exceeds the limit.
 */
export function expectGrowingDelays(delays: readonly number[]) {
  expect(delays[0]).toBe(firstWaitMs)
  expect(delays).toEqual(delays.toSorted((one, other) => one - other))
  expect(delays.at(-1)).toBeGreaterThan(firstWaitMs)
  expect(delays.at(-1)).toBeLessThanOrEqual(maxWaitMs)
}

/**
 * Advances the fake time by `ms` milliseconds and returns the promise's result. Throws if the
 * promise is still pending then, because awaiting it would hang the test.
 */
export async function resultWithin<T>(ms: number, promise: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(ms)
  const timeoutPromise = Promise.reject(new Error(`still open after ${ms} ms`))
  timeoutPromise.catch(() => undefined)
  return Promise.race([promise, timeoutPromise])
}
