import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { maxFeedbackLengths } from '../../../shared/contract/feedback.ts'
import { categoryLabels, feedbackCategories } from '../../../shared/rules/accounts/feedback.ts'
import { When } from '../../built-pages/template.tsx'
import { BackHome } from '../article.tsx'
import { EmailLink, NoSupportEmail } from '../contacts.tsx'
import { values } from '../values.tsx'

/**
 * The feedback page (spec §2). Without scripts, the browser validates the form, and the server
 * responds with a new page.
 */
export function FeedbackPage() {
  return (
    <div className="article">
      <header>
        <BackHome />
        <h1>Feedback</h1>
        <p className="muted">Tell us what is missing, what is broken and what you like.</p>
      </header>
      <div className="feedback">
        <form id="feedback" className="card" method="post" action="/api/feedback/form">
          <Field name="name" label="Name*">
            <input
              id="name"
              name="name"
              autoComplete="name"
              maxLength={maxFeedbackLengths.name}
              aria-describedby="name-error"
              required
            />
          </Field>
          <Field name="email" label="Email*">
            <input
              id="email"
              name="email"
              type="email"
              autoComplete="email"
              maxLength={maxFeedbackLengths.email}
              aria-describedby="email-error"
              required
            />
          </Field>
          <Field name="category" label="Category">
            <span className="select">
              <select id="category" name="category">
                <option value="">Choose a category (optional)</option>
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
              maxLength={maxFeedbackLengths.message}
              aria-describedby="message-error"
              required
            />
          </Field>
          {/* A honeypot: people don't see this field, and bots fill it in. */}
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
            Mayfly is a preview version and still changing. Your feedback helps us decide what comes
            next.
          </p>
          <h2>Email us</h2>
          <p>
            If you need an answer, write to <EmailLink address={values.supportEmail} />.
          </p>
          <When is="supportForm">
            <p className="small muted">
              <NoSupportEmail />
            </p>
          </When>
          <p className="small muted">
            The <a href="/privacy">privacy policy</a> says how long your feedback is kept.
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
      <p className="error" id={`${name}-error`} />
    </div>
  )
}
