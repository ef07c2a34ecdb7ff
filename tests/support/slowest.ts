/** A file or test and its duration in milliseconds. */
export interface Timed {
  what: string
  ms: number
}

const shown = 10

/** Formats the ten slowest files and tests. */
export function reportSlowest(files: readonly Timed[], tests: readonly Timed[]): string {
  const lines = [
    'The slowest files:',
    ...slowestFirst(files),
    'The slowest tests:',
    ...slowestFirst(tests),
  ]
  return `\n${lines.join('\n')}\n`
}

function slowestFirst(all: readonly Timed[]): string[] {
  return all
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, shown)
    .map(({ ms, what }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${what}`)
}
