import { vi } from 'vitest'
import { hangTimeoutMs } from './hang.ts'

/**
 * Retries an assertion until it passes, where no event signals the change. Advances fake timers by
 * 50 ms per attempt.
 * @throws the last failure after two minutes.
 */
export function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: hangTimeoutMs, interval: 50 })
}
