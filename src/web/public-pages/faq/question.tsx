import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'

/**
 * A question of the FAQ. All have the same `name`, so the browser closes the open one when another
 * opens, without scripts. A link to the id opens the answer: browsers open a `details` element to
 * scroll into it.
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
