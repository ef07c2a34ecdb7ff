/**
 * Returns the current time; tests set it. Nothing else in the server asks the system for the time.
 */
export type Clock = () => Date

/**
 * At some time between `from` and `to` on our clock, another clock showed `moment`, rounded down to a
 * multiple of `precisionMs`. Returns by how many milliseconds the two clocks differ at least, in
 * either direction; 0 if they may agree.
 */
export function differenceFrom(moment: Date, from: Date, to: Date, precisionMs = 1): number {
  const earliest = moment.getTime()
  const latest = earliest + precisionMs
  return Math.max(0, earliest - to.getTime(), from.getTime() - latest)
}
