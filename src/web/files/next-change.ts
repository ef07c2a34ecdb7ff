/** The longest delay of a label. Labels count whole hours, so people do not notice it. */
export const tickMs = 30_000

/**
 * Returns when to read the clock again, in milliseconds since 1970. This is the next end of a link,
 * so that a row changes exactly when its link ends. If no link ends before the next tick, it is
 * that tick.
 */
export function nextChange(
  files: readonly { expiresAt: string; maxLifetimeAt: string }[],
  now: number,
): number {
  let next = now + tickMs
  for (const { expiresAt, maxLifetimeAt } of files) {
    for (const end of [Date.parse(expiresAt), Date.parse(maxLifetimeAt)]) {
      if (end > now && end < next) next = end
    }
  }
  return next
}
