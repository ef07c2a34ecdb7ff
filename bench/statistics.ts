/** Summarizes values measured in several rounds. */
export interface Figure {
  median: number
  min: number
  max: number
  rounds: number[]
}

/**
 * Returns the median.
 * @throws {RangeError} if there are no values.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  if (upper === undefined) throw new RangeError('no values')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/**
 * Returns a percentile. With fewer than 100 values, the 99th percentile is the highest value.
 * @throws {RangeError} if there are no values.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.ceil((percent / 100) * sorted.length) - 1]
  if (value === undefined) throw new RangeError('no values')
  return value
}

/**
 * Summarizes one value per round.
 * @throws {RangeError} if there are no rounds.
 */
export function toFigure(rounds: readonly number[]): Figure {
  return {
    median: median(rounds),
    min: Math.min(...rounds),
    max: Math.max(...rounds),
    rounds: [...rounds],
  }
}

/**
 * Divides round by round, because conditions are comparable only within a round.
 * @throws {RangeError} if there are no rounds.
 */
export function ratio(numerators: readonly number[], denominators: readonly number[]): Figure {
  return toFigure(numerators.map((value, round) => value / (denominators[round] ?? Number.NaN)))
}
