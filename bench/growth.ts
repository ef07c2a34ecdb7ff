import { median } from './statistics.ts'

/** What an idle server uses at the end of a round. */
export interface Sample {
  /** Resident memory. */
  memoryMiB: number
  /** Used heap, with uncollected garbage. */
  heapMiB: number
  /** Open files and sockets. */
  handles: number
  /** Database connections, of the pool and others. */
  connections: number
  /** Pool connections not given back. */
  taken: number
}

/** Warm-up rounds, not compared. */
const firstRounds = 3
/** This many rounds at the start are compared with this many at the end. */
const compared = 3
/** Allowed growth of the median. */
const allowed: Readonly<Sample> = {
  // Garbage collection moves it by some MiB.
  memoryMiB: 16,
  // The young generation takes up to 24 MiB: three times what `npm start` sets.
  heapMiB: 24,
  // Changes with pool connections and files read by jobs.
  handles: 6,
  // The pool closes connections after 30 s idle and has at most ten, so this shows leaks beside the
  // pool; `taken` shows leaks of the pool.
  connections: 3,
  // A job may have one at that moment.
  taken: 1,
}

/**
 * Returns one sentence for each figure that has grown.
 * @throws {RangeError} if there are too few rounds.
 */
export function findGrowth(samples: readonly Sample[]): string[] {
  const counted = samples.slice(firstRounds)
  if (counted.length < 2 * compared) throw new RangeError('too few rounds')
  const names = Object.keys(allowed) as (keyof Sample)[]
  return names.flatMap((name) => {
    const figures = counted.map((sample) => sample[name])
    const before = median(figures.slice(0, compared))
    const after = median(figures.slice(-compared))
    if (after - before <= allowed[name]) return []
    return [`${name} grew from ${before.toFixed(0)} to ${after.toFixed(0)}`]
  })
}
