/** Does work when its turn has come. Rejects with the reason of the signal if it is aborted then. */
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
