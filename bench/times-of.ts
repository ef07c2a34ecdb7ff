const warmUps = 5
const timedCalls = 30

/**
 * Sends a request repeatedly, after a warm-up. Returns the duration of each call in milliseconds.
 */
export async function timesOf(ask: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let call = 0; call < warmUps + timedCalls; call += 1) {
    const started = performance.now()
    await ask()
    if (call >= warmUps) times.push(performance.now() - started)
  }
  return times
}
