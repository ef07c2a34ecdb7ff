/**
 * Returns the current time; tests set it. Nothing else in the server asks the system for the time.
 */
export type Clock = () => Date

/**
 * Returns the smallest difference, in milliseconds, that there can be between another clock and
 * ours. At some time between `from` and `to` on our clock, the other clock showed `moment`, rounded
 * down to a multiple of `precisionMs`.
 */
export function differenceFrom(moment: Date, from: Date, to: Date, precisionMs = 1): number {
  const earliest = moment.getTime()
  const latest = earliest + precisionMs
  return Math.max(0, earliest - to.getTime(), from.getTime() - latest)
}
