/**
 * The speed is measured over this time. It is long enough for a steady value, and short enough to
 * follow changes of the connection.
 */
const windowMs = 8000
/** A shorter time gives no useful speed, because the first bytes only fill buffers. */
const shortestMs = 2000

/**
 * How many bytes were sent until the moment `at`. `at` is in milliseconds and is only compared with
 * other samples.
 */
interface SpeedSample {
  at: number
  bytes: number
}

/** The samples from which the speed is computed, oldest first. The list begins empty. */
export type SpeedSamples = readonly SpeedSample[]

/**
 * Adds a sample. The number of bytes falls when an attempt failed. Then all earlier samples are
 * lowered by the same amount. Otherwise the speed would be 0 while the lost bytes are sent again.
 */
export function withSample(samples: SpeedSamples, at: number, bytes: number): SpeedSamples {
  const fall = Math.max(0, (samples.at(-1)?.bytes ?? 0) - bytes)
  const moved = fall > 0 ? samples.map((old) => ({ ...old, bytes: old.bytes - fall })) : samples
  // The last sample before the window says how many bytes were sent when the window began.
  const start = moved.findLastIndex((old) => old.at <= at - windowMs)
  return [...moved.slice(Math.max(0, start)), { at, bytes }]
}

/**
 * Returns the average speed in bytes per second over the last 8 s before `at`; null while the
 * samples cover less than 2 s.
 */
export function bytesPerSecond(samples: SpeedSamples, at: number): number | null {
  const last = samples.at(-1)
  const start = at - windowMs
  const before = samples.findLast((sample) => sample.at <= start)
  const from = before ? { at: start, bytes: before.bytes } : samples[0]
  if (!from || !last || at - from.at < shortestMs) return null
  return ((last.bytes - from.bytes) / (at - from.at)) * 1000
}
