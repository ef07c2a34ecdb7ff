/**
 * Returns the current time; tests set it. Nothing else in the server asks the system for the time.
 */
export type Clock = () => Date

/**
 * Returns the smallest possible difference between our clock and another one, in milliseconds,
 * whichever is ahead; 0 if they may agree. The other clock showed `moment`, rounded down to a
 * multiple of `precisionMs`, at some time between `from` and `to` on our clock.
 */
export function differenceFrom(moment: Date, from: Date, to: Date, precisionMs = 1): number {
  const earliest = moment.getTime()
  const latest = earliest + precisionMs
  return Math.max(0, earliest - to.getTime(), from.getTime() - latest)
}
