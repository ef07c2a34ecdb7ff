import type { InfiniteData } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Report } from '../../shared/contract/abuse.ts'
import type { CheckLine } from '../../shared/contract/checks.ts'
import type { Feedback } from '../../shared/contract/feedback.ts'
import type { ListPage } from '../api/call.ts'
import { useChecks } from './use-checks.ts'
import { useFeedback } from './use-feedback.ts'
import { useReports } from './use-reports.ts'

/** What waits for the administrator in a section. */
export interface Waiting {
  /** How many things wait. It ends with a plus sign if there may be more: '20+'. */
  count: string
  /** The word after the count: 'open'. */
  what: string
}

type Pages<Item> = InfiniteData<ListPage<Item[]>>

/** What the page has loaded. A part that is missing is still loading, or could not be loaded. */
export interface Loaded {
  checks: readonly CheckLine[] | undefined
  reports: Pages<Report> | undefined
  feedback: Pages<Feedback> | undefined
  /**
   * The `createdAt` of the newest feedback that the administrator has seen; null if none was seen.
   */
  seenUntil: string | null
}

/**
 * Returns what waits in each section, by the id of the section. Sections in which nothing waits are
 * absent.
 */
export function waitingIn({ checks, reports, feedback, seenUntil }: Loaded) {
  const failing = checks?.filter(({ status }) => status === 'failing').length ?? 0
  const isSeen = ({ createdAt }: Feedback) => seenUntil !== null && createdAt <= seenUntil
  const found: Record<string, Waiting | null> = {
    checks: failing === 0 ? null : { count: String(failing), what: 'failing' },
    reports: countOf(reports, 'open', { waits: () => true, isSeen: () => false }),
    feedback: countOf(feedback, 'new', {
      waits: (item) => !item.isSuspect && !isSeen(item),
      isSeen,
    }),
  }
  return new Map(
    Object.entries(found).flatMap(([id, waiting]) => (waiting === null ? [] : [[id, waiting]])),
  )
}

/**
 * Counts the items that wait in the loaded pages. The list has the newest items first, so the pages
 * after the loaded ones have only older items. If one of the loaded items was seen, all older ones
 * were seen too.
 */
function countOf<Item>(
  pages: Pages<Item> | undefined,
  what: string,
  { waits, isSeen }: { waits: (item: Item) => boolean; isSeen: (item: Item) => boolean },
): Waiting | null {
  const items = pages?.pages.flatMap((page) => page.items) ?? []
  const count = items.filter(waits).length
  if (count === 0) return null
  const mayBeMore = pages?.pages.at(-1)?.next != null && !items.some(isSeen)
  return { count: `${count}${mayBeMore ? '+' : ''}`, what }
}

/** Returns the `createdAt` of the newest feedback; null if there is none. */
export function newestOf(feedback: Pages<Feedback> | undefined): string | null {
  return feedback?.pages[0]?.items[0]?.createdAt ?? null
}

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
