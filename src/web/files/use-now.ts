import { useEffect, useState } from 'react'
import { nextChange } from './next-change.ts'

/**
 * The time, for everything that shows these files: one timer for all, which wakes when the next
 * link ends. A page that was in the background, where timers sleep, is right again at once.
 */
export function useNow(files: readonly { expiresAt: string; maxLifetimeAt: string }[]): Date {
  const [{ now, of }, setLook] = useState(() => ({ now: new Date(), of: files }))
  // By the look of before, a file that has come since has longer than it has.
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
