import { expect, vi } from 'vitest'
import { firstWaitMs, longestWaitMs } from '../../src/web/uploads/transfer/retry-policy.ts'

/**
 * Asserts that these waits between tries are those of the retry policy: the first is the shortest,
 * none is shorter than the one before, and none is longer than the limit.
 */
export function expectGrowingWaits(waits: readonly number[]) {
  expect(waits[0]).toBe(firstWaitMs)
  expect(waits).toEqual(waits.toSorted((one, other) => one - other))
  expect(waits.at(-1)).toBeGreaterThan(firstWaitMs)
  expect(waits.at(-1)).toBeLessThanOrEqual(longestWaitMs)
}

/**
 * Advances the simulated time by `ms` milliseconds, and returns the result of a promise. Throws if
 * the promise is still open then. Nothing else advances the time, so a test that awaited the
 * promise would hang.
 */
export async function resultWithin<T>(ms: number, promise: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(ms)
  const open = Promise.reject(new Error(`still open after ${ms} ms`))
  open.catch(() => undefined)
  return Promise.race([promise, open])
}
