/**
 * Waits for a free slot, then runs `work` and returns its result. If the signal has been aborted by
 * the time a slot is free, rejects with the signal's reason instead.
 */
export type Semaphore = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>

/** Returns a semaphore that runs at most `maxRunning` tasks at once, in FIFO order. */
export function createSemaphore(maxRunning: number): Semaphore {
  let running = 0
  const waiting: (() => void)[] = []

  return async (signal, work) => {
    if (running < maxRunning) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      // The next task takes over the slot, so `running` stays the same.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
