const warmUps = 5
/** Calls that `timesOf` times. */
const timedCalls = 30

/** Calls `ask` repeatedly, after a warm-up. Returns each call's milliseconds. */
export async function timesOf(ask: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let call = 0; call < warmUps + timedCalls; call += 1) {
    const started = performance.now()
    await ask()
    if (call >= warmUps) times.push(performance.now() - started)
  }
  return times
}
