import { type ReactNode, useId } from 'react'

export interface DescribedSectionProps {
  title: string
  /** What the section is for, in a sentence or two. */
  lead: ReactNode
  /** The cards of the section. */
  children: ReactNode
}

/**
 * A section of a settings page. Its title and purpose stand left of its cards, on phones above
 * them. Its heading can take the focus when the focused element is removed.
 */
export function DescribedSection({ title, lead, children }: DescribedSectionProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-12 gap-y-4 md:grid-cols-[minmax(0,300px)_minmax(0,1fr)]"
    >
      <div className="pt-1.5">
        <h2 id={id} tabIndex={-1} className="text-lg outline-none">
          {title}
        </h2>
        <p className="mt-1.5 max-w-[44ch] text-muted text-sm">{lead}</p>
      </div>
      <div className="grid min-w-0 gap-4">{children}</div>
    </section>
  )
}
