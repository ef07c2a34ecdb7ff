/** The server's only source of time. Tests set it. */
export type Clock = () => Date

/**
 * Returns the smallest possible difference between our clock and another, in milliseconds. The
 * other clock showed `otherTime`, rounded down to `precisionMs`, at some time between `from` and
 * `to` on ours.
 */
export function differenceFrom(otherTime: Date, from: Date, to: Date, precisionMs = 1): number {
  const earliest = otherTime.getTime()
  const latest = earliest + precisionMs
  return Math.max(0, earliest - to.getTime(), from.getTime() - latest)
}
