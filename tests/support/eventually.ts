import { vi } from 'vitest'
import { hangMs } from './hang.ts'

/**
 * Repeats an expectation until it holds, and answers what it answers; for what has no event to wait
 * for. Where timers are faked, each repetition lets 50 ms pass.
 * @throws what it threw last, when that takes so long that something hangs.
 */
export function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: hangMs, interval: 50 })
}
