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
  /** Pool connections that haven't been released. */
  checkedOut: number
}

/** Warm-up rounds, excluded from the comparison. */
const warmUpRounds = 3
/** How many rounds at the start, and again at the end, go into the medians that are compared. */
const comparedRounds = 3
/** How much each median may grow. */
const allowedGrowth: Readonly<Sample> = {
  // Garbage collection makes resident memory vary by a few MiB.
  memoryMiB: 16,
  // The young generation takes up to 48 MiB: three times V8's semi-space size.
  heapMiB: 48,
  // Jobs open and close files, and the pool opens and closes connections.
  handles: 6,
  // The pool has at most ten connections and closes each after 30 s idle, so this detects leaks
  // outside the pool. `checkedOut` detects leaks from the pool.
  connections: 3,
  // A job may be using a connection.
  checkedOut: 1,
}

/**
 * Returns one sentence per median that has grown more than allowed.
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
