import { setTimeout as after } from 'node:timers/promises'

/** Work was not done in the time that it had. */
export class LateError extends Error {
  constructor(milliseconds: number) {
    super(`not done within ${milliseconds} ms`)
    this.name = 'LateError'
  }
}

/**
 * Returns the result of the work if it is done in time. Work that takes longer is not stopped.
 * @throws {LateError} when the work is not done within `milliseconds`, else the work's own error.
 */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const done = new AbortController()
  const late = after(milliseconds, undefined, { signal: done.signal }).then(() => {
    throw new LateError(milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
