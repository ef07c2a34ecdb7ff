import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { pendingWorkQuery } from '../api/pending-work.ts'
import { Badge } from '../ui/badge.tsx'
import { type SectionId, sectionIds, sectionTitles } from './section.tsx'

/**
 * Sticky links to the page's sections, with the current section highlighted. They scroll sideways
 * on narrow screens. Badges show the number of failing checks and open reports.
 */
export function SectionLinks() {
  const currentId = useCurrentSection()
  const { data: pendingCounts } = useQuery(pendingWorkQuery)
  const listRef = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const currentLink = listRef.current?.querySelector<HTMLElement>(`[href="#${currentId}"]`)
    if (currentLink)
      listRef.current?.scrollTo({ left: currentLink.offsetLeft - currentLink.offsetWidth })
  }, [currentId])

  const renderBadge = (id: SectionId) => {
    if (id === 'checks' && pendingCounts?.failingChecks) {
      return <CountBadge tone="red" count={pendingCounts.failingChecks} label="failing" />
    }
    if (id === 'reports' && pendingCounts?.openReports) {
      return <CountBadge tone="accent" count={pendingCounts.openReports} label="open" />
    }
    return null
  }
  return (
    <nav aria-label="Sections" data-sticky="" className="sticky top-0 z-10 mt-3 bg-paper">
      <ul
        ref={listRef}
        className="relative flex gap-5 overflow-x-auto max-lg:pr-12 shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none] max-lg:[mask-image:linear-gradient(to_right,black_calc(100%-48px),transparent)] sm:gap-6"
      >
        {sectionIds.map((id) => (
          <li key={id} className="shrink-0">
            <a
              href={`#${id}`}
              aria-current={id === currentId ? 'true' : undefined}
              className="block whitespace-nowrap rounded-t-[6px] py-3 font-[540] text-muted no-underline transition-colors duration-120 hover:text-ink focus-visible:-outline-offset-2 aria-[current]:text-ink aria-[current]:shadow-[inset_0_-2px_0_var(--accent)] forced-colors:aria-[current]:underline"
            >
              {sectionTitles[id]}
              {renderBadge(id)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function CountBadge({
  tone,
  count,
  label,
}: {
  tone: 'red' | 'accent'
  count: number
  label: string
}) {
  return (
    <span className="ml-1.5">
      <Badge tone={tone}>
        <span className="tabular-nums">{count}</span>
        <span className="sr-only"> {label}</span>
      </Badge>
    </span>
  )
}

/**
 * Returns the current section: the last one whose heading is in the upper third of the window or
 * has scrolled out above it, or the final section if the page is scrolled to its end.
 */
function useCurrentSection(): SectionId | undefined {
  const [currentId, setCurrentId] = useState(sectionIds[0])
  useEffect(() => {
    const updateCurrentSection = () => {
      const isScrolledPast = (id: SectionId) => {
        const heading = document.getElementById(id)
        return heading !== null && heading.getBoundingClientRect().top <= window.innerHeight / 3
      }
      const isAtEnd =
        window.scrollY > 0 &&
        window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 1
      setCurrentId(
        isAtEnd ? sectionIds.at(-1) : (sectionIds.findLast(isScrolledPast) ?? sectionIds[0]),
      )
    }
    updateCurrentSection()
    window.addEventListener('scroll', updateCurrentSection, { passive: true })
    return () => window.removeEventListener('scroll', updateCurrentSection)
  }, [])
  return currentId
}
