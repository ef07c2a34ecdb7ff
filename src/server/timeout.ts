import { setTimeout as after } from 'node:timers/promises'

export class TimeoutError extends Error {
  constructor(limitMs: number) {
    super(`not done within ${limitMs} ms`)
    this.name = 'TimeoutError'
  }
}

/**
 * Waits up to `limitMs` for `work`. Doesn't cancel `work` after a timeout.
 * @throws {TimeoutError} if the work takes longer.
 */
export async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const controller = new AbortController()
  const timeout = after(limitMs, undefined, { signal: controller.signal }).then(() => {
    throw new TimeoutError(limitMs)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    controller.abort()
  }
}
