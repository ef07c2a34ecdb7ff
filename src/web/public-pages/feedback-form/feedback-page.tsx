import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { longestFeedback } from '../../../shared/contract/feedback.ts'
import { categoryLabels, feedbackCategories } from '../../../shared/rules/accounts/feedback.ts'
import { BackHome } from '../back-home.tsx'
import { SupportAddress } from '../contacts.tsx'
import { When } from '../when.tsx'

/**
 * The feedback page (spec §2). The form also works without scripts: the browser checks it and sends
 * it to a call that answers with a page.
 */
export function FeedbackPage() {
  return (
    <div className="article">
      <header>
        <BackHome />
        <h1>Feedback</h1>
        <p className="muted">
          What is missing, what is broken, what you like: people read all of it.
        </p>
      </header>
      <div className="feedback">
        <form id="feedback" className="card" method="post" action="/api/feedback/form">
          <Field name="name" label="Name*">
            <input
              id="name"
              name="name"
              autoComplete="name"
              maxLength={longestFeedback.name}
              required
            />
          </Field>
          <Field name="email" label="Email*">
            <input
              id="email"
              name="email"
              type="email"
              autoComplete="email"
              maxLength={longestFeedback.email}
              required
            />
          </Field>
          <Field name="category" label="Category">
            <span className="select">
              <select id="category" name="category">
                <option value="">Choose one, if you like</option>
                {feedbackCategories.map((category) => (
                  <option key={category} value={category}>
                    {categoryLabels[category]}
                  </option>
                ))}
              </select>
              <ChevronDown size={16} strokeWidth={1.8} aria-hidden="true" />
            </span>
          </Field>
          <Field name="message" label="Message*">
            <textarea
              id="message"
              name="message"
              rows={7}
              maxLength={longestFeedback.message}
              required
            />
          </Field>
          {/* People do not see this field, so they leave it empty. Robots fill in every field. */}
          <div className="unseen" aria-hidden="true">
            <label htmlFor="website">Leave this empty</label>
            <input id="website" name="website" tabIndex={-1} autoComplete="off" />
          </div>
          <button className="button primary large" type="submit">
            Send Feedback
          </button>
        </form>
        <aside>
          <h2>Preview Version</h2>
          <p>
            Mayfly is a preview version and still changes. What you tell us here decides what comes
            next.
          </p>
          <h2>Write directly</h2>
          <p>
            You would rather send an email, or need an answer? Write to <SupportAddress />.
          </p>
          <When is="supportForm">
            <p className="small muted">
              Nobody has set up an address for mail on this server yet. The form reaches its
              operator.
            </p>
          </When>
          <p className="small muted">
            What you send is kept for the operator of this server, as the{' '}
            <a href="/privacy">privacy policy</a> says.
          </p>
        </aside>
      </div>
    </div>
  )
}

function Field({ name, label, children }: { name: string; label: string; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      {children}
      <p className="fault" id={`${name}-fault`} />
    </div>
  )
}
