/**
 * Returns the current time; tests set it. Nothing else in the server asks the system for the time.
 */
export type Clock = () => Date

/**
 * Returns by how many milliseconds another clock and ours differ at least. The other clock showed
 * `moment`, exact to `precisionMs`, at some time between `from` and `to` on our clock.
 */
export function differenceFrom(moment: Date, from: Date, to: Date, precisionMs = 1): number {
  const earliest = moment.getTime()
  const latest = earliest + precisionMs
  return Math.max(0, earliest - to.getTime(), from.getTime() - latest)
}
