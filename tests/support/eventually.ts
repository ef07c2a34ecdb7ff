import { vi } from 'vitest'
import { hangTimeoutMs } from './hang-timeout.ts'

/**
 * Retries an assertion until it passes. Use it to wait for changes that emit no event. With fake
 * timers, each attempt advances the time by 50 ms.
 * @throws the last failure after two minutes.
 */
export function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: hangTimeoutMs, interval: 50 })
}
