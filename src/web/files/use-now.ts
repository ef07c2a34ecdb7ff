import { useEffect, useState } from 'react'
import { scheduleChecks, serverNow } from '../api/server-clock.ts'

/** How often labels such as '3 hours left' are updated. */
const tickMs = 10_000

/** Returns the server's time. Updates it regularly, and whenever the links change. */
export function useNow(links: readonly unknown[] | undefined): Date {
  const [{ now, previousLinks }, setState] = useState(() => ({
    now: serverNow(),
    previousLinks: links,
  }))
  // New links may have been created after `now`.
  if (previousLinks !== links) setState({ now: serverNow(), previousLinks: links })
  useEffect(() => {
    const update = () => setState({ now: serverNow(), previousLinks: links })
    return scheduleChecks(update, tickMs)
  }, [links])
  return now
}
