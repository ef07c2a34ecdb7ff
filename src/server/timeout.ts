import { setTimeout as after } from 'node:timers/promises'

/** Says that work took longer than it was allowed to. */
export class TimeoutError extends Error {
  constructor(limitMs: number) {
    super(`not done within ${limitMs} ms`)
    this.name = 'TimeoutError'
  }
}

/**
 * Waits for the work, but no longer than `limitMs`, and returns its result. Work that takes
 * longer is not stopped.
 * @throws {TimeoutError} when the work takes longer; otherwise the work's own error.
 */
export async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const done = new AbortController()
  const late = after(limitMs, undefined, { signal: done.signal }).then(() => {
    throw new TimeoutError(limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
