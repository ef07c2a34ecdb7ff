import { expect, vi } from 'vitest'
import { firstWaitMs, longestWaitMs } from '../../src/web/uploads/transfer/retry-policy.ts'

/**
 * Asserts that the waits of one request are those of the retry policy: the first one is its first,
 * each is at least as long as the one before, and they grow no further than its limit.
 */
export function expectGrowingWaits(waits: readonly number[]) {
  expect(waits[0]).toBe(firstWaitMs)
  expect(waits).toEqual(waits.toSorted((one, other) => one - other))
  expect(waits.at(-1)).toBeGreaterThan(firstWaitMs)
  expect(waits.at(-1)).toBeLessThanOrEqual(longestWaitMs)
}

/**
 * Lets `ms` milliseconds of simulated time pass, and returns the result of a promise. Throws if the
 * promise is still open then: nobody else lets this time pass, so a test that awaited it would hang.
 */
export async function resultWithin<T>(ms: number, promise: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(ms)
  const open = Promise.reject(new Error(`still open after ${ms} ms`))
  open.catch(() => undefined)
  return Promise.race([promise, open])
}
