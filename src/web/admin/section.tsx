import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'

/** The props that every section of the Admin Center gets from the list in `sections.ts`. */
export interface SectionProps {
  /** The id of the section's heading. The links above the sections lead to it. */
  id: string
  title: string
}

export interface SectionFrameProps extends SectionProps {
  /** A few words or figures that stand beside the title. */
  note?: ReactNode
  /** A button at the right end of the title's line. */
  action?: ReactNode
  children: ReactNode
}

/**
 * The frame of a section of the Admin Center. The title, the note and the button are in one line
 * above the content. Code can move the focus to the heading when the focused element disappears.
 */
export function SectionFrame({ id, title, note, action, children }: SectionFrameProps) {
  return (
    <section aria-labelledby={id} className="mt-9">
      <div className="mb-3 flex min-h-8 items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <h2 id={id} tabIndex={-1} className="text-lg outline-none">
            {title}
          </h2>
          {note ? <p className="text-muted text-sm tabular-nums">{note}</p> : null}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

/** The titles of the sections of the Admin Center by their ids, in the order of the page. */
export const sectionTitles = {
  numbers: 'Numbers',
  checks: 'Checks',
  users: 'Users',
  maintenance: 'Maintenance',
  reports: 'Reports',
  settings: 'Settings',
  limits: 'Limits',
  feedback: 'Feedback',
  audit: 'Audit log',
} as const

export type SectionId = keyof typeof sectionTitles

export const sectionIds = Object.keys(sectionTitles) as SectionId[]

/** Grey shapes in place of the rows, while a section is loading. */
export function RowsLoading({ label, rows }: { label: string; rows: number }) {
  return (
    <Card>
      <Loading label={label}>
        {Array.from({ length: rows }, (_, row) => row).map((row) => (
          <div
            key={row}
            className="flex items-center gap-4 border-line border-t px-4 py-4 first-of-type:border-t-0 sm:px-5"
          >
            <div className="grid flex-1 gap-2">
              <Skeleton className="h-3.5 w-3/5 max-w-72" />
              <Skeleton className="h-3 w-32" />
            </div>
            <Skeleton className="hidden h-8 w-32 sm:block" />
          </div>
        ))}
      </Loading>
    </Card>
  )
}

export interface OlderRowsProps {
  /** What the rows are. Examples: 'feedback', 'entries'. */
  what: string
  hasMore: boolean
  isLoading: boolean
  failed: boolean
  onMore: () => void
}

/**
 * The end of a list that is loaded page by page. A button loads the next page, and tries again
 * after a failure.
 */
export function OlderRows({ what, hasMore, isLoading, failed, onMore }: OlderRowsProps) {
  const end = useRef<HTMLParagraphElement>(null)
  const [isPressed, setPressed] = useState(false)
  // After the last page, the pressed button disappears together with the focus. So the end of the
  // list gets the focus.
  useEffect(() => {
    if (!hasMore && document.activeElement === document.body) end.current?.focus()
  }, [hasMore])

  if (!hasMore && !isPressed) return null
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-line border-t px-4 py-3 text-sm">
      {hasMore ? null : (
        <p ref={end} tabIndex={-1} className="text-muted outline-none">
          End of the list.
        </p>
      )}
      {failed && !isLoading ? (
        <p role="alert" className="text-muted">
          Older {what} could not be loaded.
        </p>
      ) : null}
      {hasMore ? (
        <Button
          size="small"
          pending={isLoading}
          pendingLabel="Loading…"
          onClick={() => {
            setPressed(true)
            onMore()
          }}
        >
          {failed ? 'Try again' : 'Show older'}
        </Button>
      ) : null}
    </div>
  )
}
