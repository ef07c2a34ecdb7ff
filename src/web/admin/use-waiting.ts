import { useEffect, useState } from 'react'
import { useChecks } from './use-checks.ts'
import { useFeedback } from './use-feedback.ts'
import { useReports } from './use-reports.ts'
import { newestOf, type Waiting, waitingIn } from './waiting.ts'

/**
 * The key in localStorage. Its value is the `createdAt` of the newest feedback that the
 * administrator has seen in this browser.
 */
const seenKey = 'mayfly-feedback-seen'

interface WaitingInAll {
  /** What waits in each section, by the id of the section. */
  waiting: ReadonlyMap<string, Waiting>
  /** False while a list is loading, or if one could not be loaded. */
  isComplete: boolean
}

/**
 * Returns what waits for the administrator. It counts what the sections have loaded, because it
 * uses the same queries.
 */
export function useWaiting(): WaitingInAll {
  const { data: checks } = useChecks()
  const { data: reports } = useReports()
  const { data: feedback } = useFeedback()
  const seenUntil = useSeen('feedback', newestOf(feedback))
  return {
    waiting: waitingIn({ checks, reports, feedback, seenUntil }),
    isComplete: [checks, reports, feedback].every((list) => list !== undefined),
  }
}

/**
 * Returns the `createdAt` of the newest item that the administrator has seen in this browser; null
 * if none was seen. When the heading of the section becomes visible, all items up to `newest` count
 * as seen.
 * @param headingId the id of the section's heading.
 * @param newest the `createdAt` of the newest item; null if none is known.
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
