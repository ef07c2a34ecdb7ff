import { useEffect, useState } from 'react'
import { useChecks } from './use-checks.ts'
import { useFeedback } from './use-feedback.ts'
import { useReports } from './use-reports.ts'
import { newestOf, type Waiting, waitingIn } from './waiting.ts'

/** The key under which this browser stores when the newest feedback was sent that was seen here. */
const seenKey = 'mayfly-feedback-seen'

/**
 * Tells for each section, by its id, what waits in it for the administrator. It asks the server for
 * nothing of its own: it counts in what the sections of the page have loaded.
 */
export function useWaiting(): ReadonlyMap<string, Waiting> {
  const { data: checks } = useChecks()
  const { data: reports } = useReports()
  const { data: feedback } = useFeedback()
  const seenUntil = useSeen('feedback', newestOf(feedback))
  return waitingIn({ checks, reports, feedback, seenUntil })
}

/**
 * Returns until when the administrator has seen this list in this browser. Once its heading is on the
 * screen, that is `newest`.
 * @param headingId the id of the section's heading.
 * @param newest when the newest item was made; null while none is known.
 */
function useSeen(headingId: string, newest: string | null): string | null {
  const [seen, setSeen] = useState(readSeen)
  useEffect(() => {
    const heading = document.getElementById(headingId)
    if (heading === null || newest === null) return
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      storeSeen(newest)
      setSeen(newest)
    })
    observer.observe(heading)
    return () => observer.disconnect()
  }, [headingId, newest])
  return seen
}

function readSeen(): string | null {
  try {
    return localStorage.getItem(seenKey)
  } catch {
    return null
  }
}

function storeSeen(until: string): void {
  try {
    localStorage.setItem(seenKey, until)
  } catch {
    // localStorage is blocked or full. On the next visit the feedback counts as new again.
  }
}
