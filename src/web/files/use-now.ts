import { useEffect, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { lookAgain, serverNow } from '../api/look-again.ts'
import { serverClock } from '../api/server-clock.ts'
import { nextChange } from './next-change.ts'

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
