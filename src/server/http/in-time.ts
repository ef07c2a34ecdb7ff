import { setTimeout as after } from 'node:timers/promises'

/**
 * What the work comes to, if it does so in time; the work itself is not ended.
 * @throws what the work throws; an Error when it is not done within `milliseconds`.
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
