import { median } from './statistics.ts'

/** Resource usage of the idle server at the end of a round. */
export interface Sample {
  /** Resident memory. */
  memoryMiB: number
  /** Used heap, including garbage not yet collected. */
  heapMiB: number
  /** Open files and sockets. */
  handles: number
  /** Database connections, including those outside the pool. */
  connections: number
  /** Pool connections not released. */
  checkedOut: number
}

/** Warm-up rounds, excluded from the comparison. */
const warmUpRounds = 3
/** Compares the medians of this many rounds at the start and at the end. */
const comparedRounds = 3
/** Allowed growth of each median. */
const allowedGrowth: Readonly<Sample> = {
  // Garbage collection changes it by a few MiB.
  memoryMiB: 16,
  // The young generation takes up to 24 MiB: three times the size set by `npm start`.
  heapMiB: 24,
  // Varies with pool connections and files read by jobs.
  handles: 6,
  // The pool has at most ten connections and closes each after 30 s idle, so this detects leaks
  // outside the pool. `checkedOut` detects leaks from the pool.
  connections: 3,
  // A job may be using one.
  checkedOut: 1,
}

/**
 * Returns one sentence per figure that has grown.
 * @throws {RangeError} if there are too few rounds.
 */
export function findGrowth(samples: readonly Sample[]): string[] {
  const comparedSamples = samples.slice(warmUpRounds)
  if (comparedSamples.length < 2 * comparedRounds) throw new RangeError('too few rounds')
  const names = Object.keys(allowedGrowth) as (keyof Sample)[]
  return names.flatMap((name) => {
    const figures = comparedSamples.map((sample) => sample[name])
    const before = median(figures.slice(0, comparedRounds))
    const after = median(figures.slice(-comparedRounds))
    if (after - before <= allowedGrowth[name]) return []
    return [`${name} grew from ${before.toFixed(0)} to ${after.toFixed(0)}`]
  })
}
