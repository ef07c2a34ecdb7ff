/** The server's only source of time. Tests set it. */
export type Clock = () => Date

/**
 * Returns the smallest possible difference between our clock and another, in milliseconds. At some
 * time between `from` and `to` on our clock, the other one showed `otherTime`, rounded down to
 * `precisionMs`.
 */
export function differenceFrom(otherTime: Date, from: Date, to: Date, precisionMs = 1): number {
  const earliestMs = otherTime.getTime()
  const latestMs = earliestMs + precisionMs
  return Math.max(0, earliestMs - to.getTime(), from.getTime() - latestMs)
}
