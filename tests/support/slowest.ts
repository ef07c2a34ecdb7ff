/** The name of a test or test file, and how many milliseconds it took. */
export interface Timing {
  name: string
  ms: number
}

const maxEntries = 10

/** Returns a report on the ten slowest files and the ten slowest tests. */
export function reportSlowest(files: readonly Timing[], tests: readonly Timing[]): string {
  const lines = [
    'The slowest files:',
    ...formatSlowest(files),
    'The slowest tests:',
    ...formatSlowest(tests),
  ]
  return `\n${lines.join('\n')}\n`
}

function formatSlowest(timings: readonly Timing[]): string[] {
  return timings
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, maxEntries)
    .map(({ ms, name }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${name}`)
}
