/** The longest that a label may lag behind: labels count whole hours, so nobody can tell. */
export const tickMs = 30_000

/**
 * When to look at the clock again, in milliseconds since 1970: at the next end of a link, so that a
 * row dies on the screen as its link dies, and at the latest after a tick.
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
