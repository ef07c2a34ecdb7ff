import { useEffect, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { nextLabelChange } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { lookAgain, serverClock, serverNow } from '../api/server-clock.ts'
import { linkFacts } from './link-facts.ts'

/**
 * Returns the server's time for all components that show these files. One timer for all of them
 * fires when the next label changes.
 */
export function useNow(files: readonly StoredFile[], tier: Tier): Date {
  const [{ now, of }, setLook] = useState(() => ({ now: serverNow(), of: files }))
  // New files may be newer than the last reading of the clock, so the clock is read again
  // immediately.
  if (of !== files) setLook({ now: serverNow(), of: files })
  useEffect(() => {
    const look = () => setLook({ now: serverNow(), of: files })
    const change = nextChange(files, tier, now.getTime())
    return lookAgain(look, change - serverClock().now())
  }, [files, tier, now])
  return now
}

/**
 * The longest time between two readings of the clock. Timers stop while a computer sleeps. After
 * that, a label can be out of date for this long.
 */
export const tickMs = 30_000

/**
 * Returns when to read the clock again, in milliseconds since 1970: at the next moment when a label
 * of these files changes, but after 30 s at the latest.
 */
export function nextChange(files: readonly StoredFile[], tier: Tier, now: number): number {
  const at = new Date(now)
  let next = now + tickMs
  for (const file of files) {
    const change = nextLabelChange(linkFacts(file), tier, at)
    if (change !== null && change.getTime() < next) next = change.getTime()
  }
  return next
}
