/** The summary of several rounds of one measurement. */
export interface Figure {
  median: number
  min: number
  max: number
  rounds: number[]
}

/**
 * Returns the middle value, or the mean of the two middle ones.
 * @throws {RangeError} when there are no values.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  if (upper === undefined) throw new RangeError('no values')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/**
 * Returns the smallest value that at least `percent` of the values do not exceed. Of fewer than 100
 * values, the 99th percentile is the highest.
 * @throws {RangeError} when there are no values.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const found = sorted[Math.ceil((percent / 100) * sorted.length) - 1]
  if (found === undefined) throw new RangeError('no values')
  return found
}

/**
 * Summarises the figures of several rounds.
 * @throws {RangeError} when there are no rounds.
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
 * Divides each value of `ours` by the value of `theirs` from the same round. The two were measured
 * one right after the other, while the machine was in the same state.
 * @throws {RangeError} when there are no rounds.
 */
export function ratio(ours: readonly number[], theirs: readonly number[]): Figure {
  return figure(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))
}
