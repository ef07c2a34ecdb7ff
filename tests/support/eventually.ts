import { vi } from 'vitest'
import { hangMs } from './hang.ts'

/**
 * Repeats an expectation until it holds, and returns its result. Use it where no event tells when
 * the expectation holds. With simulated timers, each repetition advances the time by 50 ms.
 * @throws the last failure, if the expectation does not hold within two minutes.
 */
export function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: hangMs, interval: 50 })
}
