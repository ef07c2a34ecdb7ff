/** A summary of the values of several rounds. */
export interface Figure {
  median: number
  min: number
  max: number
  rounds: number[]
}

/**
 * Returns the median.
 * @throws {RangeError} without values.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  if (upper === undefined) throw new RangeError('no values')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/**
 * Returns a percentile. The 99th of fewer than 100 values is the highest.
 * @throws {RangeError} without values.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.ceil((percent / 100) * sorted.length) - 1]
  if (value === undefined) throw new RangeError('no values')
  return value
}

/**
 * Summarizes the values of several rounds.
 * @throws {RangeError} without rounds.
 */
export function figure(rounds: readonly number[]): Figure {
  return {
    median: median(rounds),
    min: Math.min(...rounds),
    max: Math.max(...rounds),
    rounds: [...rounds],
  }
}

/**
 * Divides round by round, because conditions are comparable only within a round.
 * @throws {RangeError} without rounds.
 */
export function ratio(numerators: readonly number[], denominators: readonly number[]): Figure {
  return figure(numerators.map((value, round) => value / (denominators[round] ?? Number.NaN)))
}
