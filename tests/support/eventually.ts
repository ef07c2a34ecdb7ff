import { vi } from 'vitest'
import { hangMs } from './hang.ts'

/**
 * Repeats an expectation until it holds, and returns its result. Use it where no event tells when
 * to look. Where timers are faked, each repetition lets 50 ms pass.
 * @throws the last failure, after a time that means that something hangs.
 */
export function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: hangMs, interval: 50 })
}
