import { vi } from 'vitest'
import { hangMs } from './hang.ts'

/**
 * Retries an assertion until it passes, where there is no event to wait for. Advances fake timers
 * by 50 ms per try.
 * @throws the last failure after two minutes.
 */
export function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: hangMs, interval: 50 })
}
