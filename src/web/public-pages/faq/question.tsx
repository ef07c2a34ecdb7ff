import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'

/**
 * A question with its answer. All questions share a `name`, so opening one closes the others
 * without scripts. A link to the id opens the answer, because browsers expand a `details` element
 * when they scroll to something inside it.
 */
export function Question(props: { id: string; title: string; children: ReactNode }) {
  return (
    <details name="faq">
      <summary>
        <h3>{props.title}</h3>
        <ChevronDown size={18} strokeWidth={1.8} aria-hidden="true" />
      </summary>
      <div id={props.id} className="answer">
        {props.children}
      </div>
    </details>
  )
}
