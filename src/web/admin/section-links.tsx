import type { InfiniteData } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Report } from '../../shared/contract/abuse.ts'
import type { CheckLine } from '../../shared/contract/checks.ts'
import type { Feedback } from '../../shared/contract/feedback.ts'
import type { ListPage } from '../api/call.ts'
import { Badge } from '../ui/badge.tsx'
import { useChecks } from './checks-section.tsx'
import { useFeedback } from './feedback-section.tsx'
import type { SectionProps } from './section.tsx'
import { useReports } from './use-reports.ts'

/**
 * Links to the sections of the page. They stay at the top of the window, and mark the section that
 * the administrator is reading. A badge shows how many things wait in a section. On a narrow screen
 * the links scroll sideways.
 */
export function SectionLinks({ sections }: { sections: readonly SectionProps[] }) {
  const current = useCurrentSection(sections)
  const list = useRef<HTMLUListElement>(null)
  const { waiting, isComplete } = useWaiting()

  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>(`[href="#${current}"]`)
    if (link) list.current?.scrollTo({ left: link.offsetLeft - link.offsetWidth })
  }, [current])

  return (
    <>
      <WaitingLinks sections={sections} waiting={waiting} isComplete={isComplete} />
      <nav aria-label="Sections" data-sticky="" className="sticky top-0 z-10 bg-paper lg:mt-3">
        <ul
          ref={list}
          className="relative flex gap-5 overflow-x-auto max-lg:pr-12 shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none] max-lg:[mask-image:linear-gradient(to_right,black_calc(100%-48px),transparent)] sm:gap-6"
        >
          {sections.map(({ id, title }) => (
            <li key={id} className="shrink-0">
              <a
                href={`#${id}`}
                aria-current={id === current ? 'true' : undefined}
                className="block whitespace-nowrap rounded-t-[6px] py-3 font-[540] text-muted no-underline transition-colors duration-120 hover:text-ink focus-visible:-outline-offset-2 aria-[current]:text-ink aria-[current]:shadow-[inset_0_-2px_0_var(--accent)] forced-colors:aria-[current]:underline"
              >
                {title}
                <WaitingBadge waiting={waiting.get(id)} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  )
}

interface WaitingLinksProps {
  sections: readonly SectionProps[]
  waiting: ReadonlyMap<string, Waiting>
  isComplete: boolean
}

/**
 * What waits in all sections, as links to them. It is for narrow screens, where most badges are out
 * of sight. Its line keeps its height while the lists are loading, so that nothing moves.
 */
function WaitingLinks({ sections, waiting, isComplete }: WaitingLinksProps) {
  return (
    <ul
      aria-label="Waiting"
      className="mt-1 flex min-h-11 flex-wrap items-center gap-x-2 text-muted text-sm lg:hidden"
    >
      {sections.map(({ id, title }) => {
        const here = waiting.get(id)
        return here ? (
          <li key={id}>
            <a href={`#${id}`} className="inline-flex min-h-11 items-center no-underline">
              <Badge tone={toneOf(here)}>
                {title}&nbsp;<span className="tabular-nums">{here.count}</span>
                <span className="sr-only"> {here.what}</span>
              </Badge>
            </a>
          </li>
        ) : null
      })}
      {isComplete && waiting.size === 0 ? <li>Nothing waits.</li> : null}
    </ul>
  )
}

function toneOf({ what }: Waiting): 'red' | 'accent' {
  return what === 'failing' ? 'red' : 'accent'
}

function WaitingBadge({ waiting }: { waiting: Waiting | undefined }) {
  if (!waiting) return null
  return (
    <span className="ml-1.5">
      <Badge tone={toneOf(waiting)}>
        <span className="tabular-nums">{waiting.count}</span>
        <span className="sr-only"> {waiting.what}</span>
      </Badge>
    </span>
  )
}

/**
 * Returns the id of the current section. This is the last section whose heading is in the upper
 * third of the window or further up. At the end of the page, it is the last section of all.
 */
function useCurrentSection(sections: readonly SectionProps[]): string | undefined {
  const [current, setCurrent] = useState(sections[0]?.id)
  useEffect(() => {
    const look = () => {
      const isPassed = ({ id }: SectionProps) => {
        const heading = document.getElementById(id)
        return heading !== null && heading.getBoundingClientRect().top <= window.innerHeight / 3
      }
      const isAtEnd =
        window.scrollY > 0 &&
        window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 1
      setCurrent((isAtEnd ? sections.at(-1) : (sections.findLast(isPassed) ?? sections[0]))?.id)
    }
    look()
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [sections])
  return current
}

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
function useWaiting(): WaitingInAll {
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
