/**
 * Returns the current time; tests set it. Nothing else in the server asks the system for the time.
 */
export type Clock = () => Date

/**
 * Compares another clock with ours. Its answer, `moment`, was made at some time between `from` and
 * `to` of ours, and is exact to `precisionMs`. Returns by how many milliseconds the two differ at
 * least.
 */
export function differenceFrom(moment: Date, from: Date, to: Date, precisionMs = 1): number {
  const earliest = moment.getTime()
  const latest = earliest + precisionMs
  return Math.max(0, earliest - to.getTime(), from.getTime() - latest)
}
