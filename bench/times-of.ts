const warmUps = 5
/** How many calls `timesOf` times. */
const timedCalls = 30

/**
 * Calls `ask` again and again, and waits for each answer. Returns how many milliseconds each call
 * took. The first calls warm the server up and are left out.
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
