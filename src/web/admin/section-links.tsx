import { useEffect, useRef, useState } from 'react'
import { Badge } from '../ui/badge.tsx'
import type { SectionProps } from './section.tsx'
import { useWaiting, type Waiting } from './waiting.ts'

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
