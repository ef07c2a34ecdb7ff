/** The measurement window: long enough for a steady value, short enough to follow changes. */
const windowMs = 8000
/** Shorter measurements are inaccurate, because the first bytes only fill buffers. */
const minDurationMs = 2000

/** The number of bytes sent by the time `at`, which is in milliseconds from an arbitrary origin. */
interface SpeedSample {
  at: number
  bytes: number
}

/** Samples for measuring the speed, oldest first. Start with an empty list. */
export type SpeedSamples = readonly SpeedSample[]

/**
 * Adds a sample. If the byte count falls after a failed attempt, lowers all earlier samples by the
 * same amount. Otherwise the speed would be 0 until the lost bytes are resent.
 */
export function withSample(samples: SpeedSamples, at: number, bytes: number): SpeedSamples {
  const decrease = Math.max(0, (samples.at(-1)?.bytes ?? 0) - bytes)
  const adjusted = samples.map((sample) => ({ ...sample, bytes: sample.bytes - decrease }))
  // Keep the last sample before the window, which marks its start.
  const startIndex = adjusted.findLastIndex((sample) => sample.at <= at - windowMs)
  return [...adjusted.slice(Math.max(0, startIndex)), { at, bytes }]
}

/**
 * Returns the average speed in bytes per second over the 8 s before `at`, or null if the samples
 * cover less than 2 s.
 */
export function bytesPerSecond(samples: SpeedSamples, at: number): number | null {
  const lastSample = samples.at(-1)
  const start = at - windowMs
  const lastSampleBefore = samples.findLast((sample) => sample.at <= start)
  const firstSample = lastSampleBefore ? { at: start, bytes: lastSampleBefore.bytes } : samples[0]
  if (!firstSample || !lastSample || at - firstSample.at < minDurationMs) return null
  return ((lastSample.bytes - firstSample.bytes) / (at - firstSample.at)) * 1000
}
