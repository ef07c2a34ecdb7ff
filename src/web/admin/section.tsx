import type { ReactNode } from 'react'

/** Titles of the Admin Center's sections by id, in page order. */
export const sectionTitles = {
  numbers: 'Numbers',
  checks: 'Checks',
  users: 'Users',
  maintenance: 'Maintenance',
  reports: 'Reports',
  requests: 'Requests',
  settings: 'Settings',
  limits: 'Limits',
  feedback: 'Feedback',
  audit: 'Audit log',
} as const

export type SectionId = keyof typeof sectionTitles

export const sectionIds = Object.keys(sectionTitles) as SectionId[]

export interface SectionFrameProps {
  /** The heading's id. The heading is a link target and can receive focus. */
  id: SectionId
  /** A short text or number next to the title. */
  note?: ReactNode
  /** A button at the end of the title's line. */
  action?: ReactNode
  children: ReactNode
}

/** A section in the Admin Center, with a title, a note and a button above its content. */
export function SectionFrame({ id, note, action, children }: SectionFrameProps) {
  return (
    <section aria-labelledby={id} className="mt-9">
      <div className="mb-3 flex min-h-8 items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <h2 id={id} tabIndex={-1} className="text-lg outline-none">
            {sectionTitles[id]}
          </h2>
          {note ? <p className="text-muted text-sm tabular-nums">{note}</p> : null}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

/** A `mailto:` link to the sender of feedback or a report. */
export function EmailLink({ address }: { address: string }) {
  return (
    <a
      href={`mailto:${encodeURIComponent(address).replace('%40', '@')}`}
      className="inline-flex min-h-6 min-w-0 items-center underline underline-offset-3 wrap-anywhere hover:decoration-2"
    >
      {address}
    </a>
  )
}

interface ExpandButtonProps {
  /** The id of the element that the button expands. */
  id: string
  isOpen: boolean
  onToggle: () => void
  children: ReactNode
}

/** A button that expands or collapses a long text or list. */
export function ExpandButton({ id, isOpen, onToggle, children }: ExpandButtonProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={id}
      onClick={onToggle}
      className="mt-1 min-h-6 rounded-[4px] font-[560] text-accent text-sm underline underline-offset-3 hover:decoration-2 pointer-coarse:min-h-11"
    >
      {children}
    </button>
  )
}
