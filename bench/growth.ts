import { median } from './statistics.ts'

/** What one server uses at the end of a round, while it has no requests. */
export interface Sample {
  /** Its resident memory. */
  memoryMiB: number
  /** What it uses of its heap, with the garbage that is not collected yet. */
  heapMiB: number
  /** Open files and sockets. */
  handles: number
  /** Its connections to the database, of the pool and others. */
  connections: number
  /** The connections of the pool that somebody has taken and not given back. */
  taken: number
}

/** The first rounds are not compared, because caches still fill and Node still compiles code. */
const firstRounds = 3
/** Of the rounds that count, this many at the start are compared with this many at the end. */
const compared = 3
/** How much the median of the last rounds may exceed the median of the first ones. */
const allowed: Readonly<Sample> = {
  // It rises and falls by some MiB with each garbage collection.
  memoryMiB: 16,
  // Young garbage takes up to 24 MiB: three times the size that `npm start` sets.
  heapMiB: 24,
  // It changes when the pool opens or closes a connection, or when a job reads a file.
  handles: 6,
  // The pool closes a connection that was idle for 30 s, and so has more or fewer in each rest. It
  // has at most ten, so what it loses shows in `taken`, and here what is opened beside it.
  connections: 3,
  // A job may have one at that moment.
  taken: 1,
}

/**
 * Returns one sentence for each figure that has grown, or an empty list.
 * @throws {RangeError} when there are too few rounds to compare.
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
