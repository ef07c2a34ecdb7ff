import { vi } from 'vitest'
import { hangTimeoutMs } from './hang.ts'

/**
 * Retries an assertion until it passes. For changes that emit no event. Advances fake timers by 50
 * ms per attempt.
 * @throws the last failure after two minutes.
 */
export function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: hangTimeoutMs, interval: 50 })
}
