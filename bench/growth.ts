import { median } from './statistics.ts'

/** What one process uses at the end of a round, while it has no requests. */
export interface Sample {
  memoryMiB: number
  /** Open files and sockets. */
  handles: number
  /** Its connections to the database. */
  connections: number
}

/** The first rounds are not compared, because caches still fill and Node still compiles code. */
const firstRounds = 3
/** Of the rounds that count, this many at the start are compared with this many at the end. */
const compared = 3
/**
 * How much the median of the last rounds may exceed the median of the first ones. Memory rises and
 * falls by some MiB with each garbage collection. The number of handles changes when the pool opens
 * or closes a connection, or when a job reads a file.
 */
const allowed = { memoryMiB: 16, handles: 6 }

/**
 * Returns one sentence for each figure that has grown, or an empty list. Also returns a sentence if
 * the process ever had more than `most` connections to the database.
 * @throws {RangeError} when there are too few rounds to compare.
 */
export function findGrowth(samples: readonly Sample[], most: number): string[] {
  const counted = samples.slice(firstRounds)
  if (counted.length < 2 * compared) throw new RangeError('too few rounds')
  const faults: string[] = []
  for (const name of ['memoryMiB', 'handles'] as const) {
    const figures = counted.map((sample) => sample[name])
    const before = median(figures.slice(0, compared))
    const after = median(figures.slice(-compared))
    if (after - before > allowed[name]) {
      faults.push(`${name} grew from ${before.toFixed(0)} to ${after.toFixed(0)}`)
    }
  }
  const connections = Math.max(...samples.map((sample) => sample.connections))
  if (connections > most) faults.push(`${connections} connections to the database, of ${most}`)
  return faults
}
