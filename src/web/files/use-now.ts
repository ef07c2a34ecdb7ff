import { useEffect, useState } from 'react'
import { nextLabelChange } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { pageClock, scheduleCheck, serverNow } from '../api/server-clock.ts'
import { type DateTexts, linkDates } from './link-dates.ts'

/** Returns the server's time. Updates it whenever the label of one of these links changes. */
export function useNow(links: readonly DateTexts[], tier: Tier): Date {
  const [{ now, previousLinks }, setState] = useState(() => ({
    now: serverNow(),
    previousLinks: links,
  }))
  // New links may have been created after `now`.
  if (previousLinks !== links) setState({ now: serverNow(), previousLinks: links })
  useEffect(() => {
    const update = () => setState({ now: serverNow(), previousLinks: links })
    const nextUpdateAt = nextChangeAt(links, tier, now.getTime())
    return scheduleCheck(update, nextUpdateAt - pageClock.now())
  }, [links, tier, now])
  return now
}

/**
 * The longest time between updates. Timers pause while a computer sleeps, so this limits how long
 * labels stay outdated after it wakes up.
 */
export const tickMs = 30_000

/**
 * Returns when the next label changes, but at most `tickMs` from now, as a Unix time in
 * milliseconds.
 */
export function nextChangeAt(links: readonly DateTexts[], tier: Tier, now: number): number {
  const nowDate = new Date(now)
  let earliestChangeAt = now + tickMs
  for (const link of links) {
    const nextLabelChangeDate = nextLabelChange(linkDates(link), tier, nowDate)
    if (nextLabelChangeDate !== null && nextLabelChangeDate.getTime() < earliestChangeAt)
      earliestChangeAt = nextLabelChangeDate.getTime()
  }
  return earliestChangeAt
}
