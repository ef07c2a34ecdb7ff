const warmUpCalls = 5
const timedCalls = 30

/**
 * Sends a request repeatedly, after a warm-up. Returns the duration of each call in milliseconds.
 */
export async function measureTimes(request: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let call = 0; call < warmUpCalls + timedCalls; call += 1) {
    const startedAt = performance.now()
    await request()
    if (call >= warmUpCalls) times.push(performance.now() - startedAt)
  }
  return times
}
