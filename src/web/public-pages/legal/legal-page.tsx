import type { ReactNode } from 'react'
import { BackHome } from '../back-home.tsx'

/** The date of the last change to the terms and the privacy policy (spec §2). */
const lastUpdated = { text: 'July 12, 2025', date: '2025-07-12' }

export interface LegalSection {
  /** The fragment of the section's address. Example: /privacy#deletion has the id 'deletion'. */
  id: string
  title: string
  body: ReactNode
}

/** A long text with a table of contents. The terms and the privacy policy use it. */
export function LegalPage(props: {
  title: string
  lead: ReactNode
  sections: readonly LegalSection[]
}) {
  const { title, lead, sections } = props
  return (
    <div className="article">
      <header>
        <BackHome />
        <h1>{title}</h1>
        <p className="muted">
          Last updated <time dateTime={lastUpdated.date}>{lastUpdated.text}</time>
        </p>
      </header>
      <nav className="contents" aria-label="Contents">
        <ul>
          {sections.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="text">
        {lead}
        {sections.map(({ id, title, body }) => (
          <section key={id} aria-labelledby={id}>
            <h2 id={id}>{title}</h2>
            {body}
          </section>
        ))}
      </div>
    </div>
  )
}
