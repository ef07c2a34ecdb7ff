/** Long enough to be steady, short enough to follow the line. */
const windowMs = 8000
/** Over less than this a speed would be a guess: the first bytes only fill buffers. */
const shortestMs = 2000

/** How many bytes had left at a moment. Moments are milliseconds, only compared with each other. */
interface SpeedSample {
  at: number
  bytes: number
}

/** The speed of the last seconds is computed from these, oldest first. Begins as an empty list. */
export type SpeedSamples = readonly SpeedSample[]

/**
 * Adds a sample. Where progress falls back, since a try was lost, all earlier samples are moved down by
 * as much: else the line would look dead while the lost bytes are sent again.
 */
export function withSample(samples: SpeedSamples, at: number, bytes: number): SpeedSamples {
  const fall = Math.max(0, (samples.at(-1)?.bytes ?? 0) - bytes)
  const moved = fall > 0 ? samples.map((old) => ({ ...old, bytes: old.bytes - fall })) : samples
  // The last sample before the window says how many bytes had left when the window began.
  const start = moved.findLastIndex((old) => old.at <= at - windowMs)
  return [...moved.slice(Math.max(0, start)), { at, bytes }]
}

/** Bytes per second over the last seconds before `at`; null while too little is known. */
export function bytesPerSecond(samples: SpeedSamples, at: number): number | null {
  const last = samples.at(-1)
  const start = at - windowMs
  const before = samples.findLast((sample) => sample.at <= start)
  const from = before ? { at: start, bytes: before.bytes } : samples[0]
  if (!from || !last || at - from.at < shortestMs) return null
  return ((last.bytes - from.bytes) / (at - from.at)) * 1000
}
