/** The summary of several rounds of one measurement. */
export interface Figure {
  median: number
  min: number
  max: number
  rounds: number[]
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  if (upper === undefined) throw new RangeError('no values')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** @throws {RangeError} when there are no rounds. */
export function figure(rounds: readonly number[]): Figure {
  return {
    median: median(rounds),
    min: Math.min(...rounds),
    max: Math.max(...rounds),
    rounds: [...rounds],
  }
}

/**
 * Divides our rounds by theirs, pair by pair. Two neighbouring rounds find the machine in the same
 * state.
 */
export function ratio(ours: readonly number[], theirs: readonly number[]): Figure {
  return figure(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))
}
