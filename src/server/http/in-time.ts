import { setTimeout as after } from 'node:timers/promises'

/**
 * Returns the result of the work if it is done in time. Work that takes longer is not stopped.
 * @throws the work's own error, or an Error when the work is not done within `milliseconds`.
 */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const done = new AbortController()
  const late = after(milliseconds, undefined, { signal: done.signal }).then(() => {
    throw new Error(`not done within ${milliseconds} ms`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
