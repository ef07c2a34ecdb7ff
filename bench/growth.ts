import { median } from './statistics.ts'

/** What one process has at the end of a round, while nobody asks anything of it. */
export interface Sample {
  memoryMiB: number
  /** Open files and sockets. */
  handles: number
  /** Its connections to the database. */
  connections: number
}

/** The first rounds do not count: caches fill, and Node compiles what is called often. */
const firstRounds = 3
/** So many rounds at the start and the end of those that count are compared. */
const compared = 3
/**
 * How much the middle of the last rounds may be above that of the first ones. Memory goes up and
 * down by some MiB with each garbage collection. Handles are those of connections that the pool
 * opens and closes again, and of files that jobs read.
 */
const allowed = { memoryMiB: 16, handles: 6 }

/**
 * Says in a sentence each what has grown from round to round; nothing when all is flat.
 * @param most how many connections to the database the pool may have.
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
