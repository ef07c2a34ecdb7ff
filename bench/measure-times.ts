const warmUpCallCount = 5
const timedCallCount = 30

/**
 * Sends a request repeatedly, after a warm-up. Returns the duration of each call in milliseconds.
 */
export async function measureTimes(request: () => Promise<unknown>): Promise<number[]> {
  const durationsMs: number[] = []
  for (let callIndex = 0; callIndex < warmUpCallCount + timedCallCount; callIndex += 1) {
    const startedAt = performance.now()
    await request()
    if (callIndex >= warmUpCallCount) durationsMs.push(performance.now() - startedAt)
  }
  return durationsMs
}
