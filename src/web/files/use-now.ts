import { useEffect, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { nextLabelChange } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { getServerClock, scheduleCheck, serverNow } from '../api/server-clock.ts'
import { linkDates } from './link-dates.ts'

/** Returns the server's time. Updates it whenever a label on one of these files changes. */
export function useNow(files: readonly StoredFile[], tier: Tier): Date {
  const [{ now, previousFiles }, setState] = useState(() => ({
    now: serverNow(),
    previousFiles: files,
  }))
  // New files may have been created after `now`.
  if (previousFiles !== files) setState({ now: serverNow(), previousFiles: files })
  useEffect(() => {
    const update = () => setState({ now: serverNow(), previousFiles: files })
    const nextUpdateAt = nextChangeAt(files, tier, now.getTime())
    return scheduleCheck(update, nextUpdateAt - getServerClock().now())
  }, [files, tier, now])
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
export function nextChangeAt(files: readonly StoredFile[], tier: Tier, now: number): number {
  const nowDate = new Date(now)
  let earliestChangeAt = now + tickMs
  for (const file of files) {
    const nextLabelChangeDate = nextLabelChange(linkDates(file), tier, nowDate)
    if (nextLabelChangeDate !== null && nextLabelChangeDate.getTime() < earliestChangeAt)
      earliestChangeAt = nextLabelChangeDate.getTime()
  }
  return earliestChangeAt
}
