import { expect, vi } from 'vitest'
import { firstWaitMs, maxWaitMs } from '../../src/web/uploads/transfer/retry-policy.ts'

/**
 * Asserts that these delays follow the retry policy: they start at the minimum, never decrease, and
 * stay below the limit.
 */
export function expectGrowingWaits(waits: readonly number[]) {
  expect(waits[0]).toBe(firstWaitMs)
  expect(waits).toEqual(waits.toSorted((one, other) => one - other))
  expect(waits.at(-1)).toBeGreaterThan(firstWaitMs)
  expect(waits.at(-1)).toBeLessThanOrEqual(maxWaitMs)
}

/**
 * Advances fake timers by `ms` and returns the promise's result. Throws if it is still pending,
 * where awaiting it would hang the test.
 */
export async function resultWithin<T>(ms: number, promise: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(ms)
  const open = Promise.reject(new Error(`still open after ${ms} ms`))
  open.catch(() => undefined)
  return Promise.race([promise, open])
}
