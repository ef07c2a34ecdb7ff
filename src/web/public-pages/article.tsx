import { ArrowLeft } from 'lucide-react'
import { Children, type ReactElement, type ReactNode } from 'react'

interface SectionProps {
  /** The section's anchor, such as 'deletion' for /privacy#deletion. */
  id: string
  title: string
  children: ReactNode
}

export function Section({ id, title, children }: SectionProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** An article with a table of contents. */
export function Article(props: {
  title: string
  /** Shown under the title. */
  note?: ReactNode
  /** `lead` is shown before the sections, `end` after them. */
  lead?: ReactNode
  end?: ReactNode
  children: ReactElement<SectionProps>[]
}) {
  return (
    <div className="article">
      <header>
        <BackHome />
        <h1>{props.title}</h1>
        {props.note}
      </header>
      <nav className="contents" aria-label="Contents">
        <ul>
          {Children.map(props.children, ({ props: { id, title } }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="text">
        {props.lead}
        {props.children}
        {props.end}
      </div>
    </div>
  )
}

/** The link to the home page above a page's heading (spec §2). */
export function BackHome() {
  return (
    <a className="back" href="/">
      <ArrowLeft size={16} strokeWidth={1.8} aria-hidden="true" />
      Back to home
    </a>
  )
}

/** Says when the terms and the privacy policy last changed (spec §2). */
export function LastUpdated() {
  return (
    <p className="muted">
      Last updated <time dateTime="2025-07-12">July 12, 2025</time>
    </p>
  )
}
