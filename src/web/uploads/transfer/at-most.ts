/**
 * Waits for its turn, then does the work and returns its result. If `signal` is already aborted
 * when the turn comes, it does not begin the work, and rejects with the reason of the signal.
 */
export type InTurn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>

/** Returns a function that does at most `most` pieces of work at the same time, in their order. */
export function atMost(most: number): InTurn {
  let running = 0
  const waiting: (() => void)[] = []

  return async (signal, work) => {
    if (running < most) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      // Whoever waits takes this place, so `running` stays the same.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
