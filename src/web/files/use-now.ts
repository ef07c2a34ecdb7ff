import { useEffect, useState } from 'react'
import { nextChange } from './next-change.ts'

/**
 * Returns the time for all components that show these files. One timer serves all and fires when
 * the next link ends. Timers sleep while a page is in the background. A page that returns updates
 * at once.
 */
export function useNow(files: readonly { expiresAt: string; maxLifetimeAt: string }[]): Date {
  const [{ now, of }, setLook] = useState(() => ({ now: new Date(), of: files }))
  // New files are newer than the last reading of the clock, so the clock is read again at once.
  if (of !== files) setLook({ now: new Date(), of: files })
  useEffect(() => {
    const look = () => setLook({ now: new Date(), of: files })
    const timer = setTimeout(look, nextChange(files, now.getTime()) - Date.now())
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [files, now])
  return now
}
