import { setTimeout as after } from 'node:timers/promises'

export class TimeoutError extends Error {
  constructor(limitMs: number) {
    super(`not done within ${limitMs} ms`)
    this.name = 'TimeoutError'
  }
}

/**
 * Waits up to `limitMs` for a promise. After a timeout, the work behind the promise continues.
 * @throws {TimeoutError} if the promise takes longer to settle.
 */
export async function withTimeout<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  const controller = new AbortController()
  const timeoutPromise = after(limitMs, undefined, { signal: controller.signal }).then(() => {
    throw new TimeoutError(limitMs)
  })
  try {
    return await Promise.race([promise, timeoutPromise])
  } finally {
    controller.abort()
  }
}
