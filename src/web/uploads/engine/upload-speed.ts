/** Long enough to be steady, short enough to follow the line. */
const windowMs = 8000
/** Shorter than this, a speed would be a guess: what leaves first only fills buffers. */
const shortestMs = 2000

/** How far an upload had come at a moment: milliseconds, only compared with each other, and bytes. */
interface SpeedSample {
  at: number
  bytes: number
}

/** What the speed of the last seconds is reckoned from; begins as an empty list. Oldest first. */
export type SpeedSamples = readonly SpeedSample[]

/**
 * The samples when the upload has come to `bytes` at `at`. Bytes that were lost and are sent again do
 * count as sent: where progress falls back, what came before is moved down with it, so that a lost
 * part does not make the line look dead.
 */
export const withSample = (samples: SpeedSamples, at: number, bytes: number): SpeedSamples => {
  const fall = Math.max(0, (samples.at(-1)?.bytes ?? 0) - bytes)
  const moved = fall > 0 ? samples.map((old) => ({ ...old, bytes: old.bytes - fall })) : samples
  // The last one from before the window tells how far the upload was when the window began.
  const start = moved.findLastIndex((old) => old.at <= at - windowMs)
  return [...moved.slice(Math.max(0, start)), { at, bytes }]
}

/** Bytes per second over the last seconds before `at`; null while too little is known. */
export const bytesPerSecond = (samples: SpeedSamples, at: number): number | null => {
  const last = samples.at(-1)
  const start = at - windowMs
  const before = samples.findLast((sample) => sample.at <= start)
  const from = before ? { at: start, bytes: before.bytes } : samples[0]
  if (!from || !last || at - from.at < shortestMs) return null
  return ((last.bytes - from.bytes) / (at - from.at)) * 1000
}
