import type { ReactNode } from 'react'

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
