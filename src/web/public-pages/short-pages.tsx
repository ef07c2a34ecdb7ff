import { values } from './values.tsx'

/** The not-found page (spec §2). */
export function NotFoundPage() {
  return (
    <div className="short">
      {/* The lifeline for a link that has ended and can't be renewed. */}
      <svg width="180" height="8" aria-hidden="true">
        <rect width="64%" height="8" rx="4" fill="var(--edge)" opacity="0.5" />
        <rect
          x="67%"
          y="0.5"
          width="32.5%"
          height="7"
          rx="3.5"
          fill="none"
          stroke="var(--edge)"
          strokeDasharray="3 3"
        />
      </svg>
      <h1>There is nothing at this address</h1>
      <p className="muted">The address may be mistyped, or the page has been removed.</p>
      <a className="button primary" href="/">
        Go to the start page
      </a>
    </div>
  )
}

/** Shown if the application couldn't accept files that a phone's share menu sent to it. */
export function NotSharedPage() {
  return (
    <div className="short">
      <h1>Please share it again</h1>
      <p className="muted">
        Mayfly could not take your files, and nothing was uploaded. If this happens again, your
        browser may be out of space: share fewer files at a time, or choose them in Mayfly.
      </p>
      <a className="button primary" href="/">
        Open Mayfly
      </a>
    </div>
  )
}

/** Shown while the server is temporarily unavailable. */
export function UnavailablePage() {
  return (
    <div className="short">
      <h1>This page cannot be shown right now</h1>
      <p className="muted">{values.error}</p>
      {/* This URL reloads the current path. */}
      <a className="button primary" href="?">
        Try again
      </a>
    </div>
  )
}

/** Shown after a feedback form was submitted without JavaScript. */
export function FeedbackSentPage() {
  return (
    <div className="short">
      <h1>Feedback sent successfully!</h1>
      <p className="muted">Thank you for your feedback.</p>
      <a className="button primary" href="/">
        Go to the start page
      </a>
    </div>
  )
}

/** Shown if a feedback form submitted without JavaScript couldn't be processed. */
export function FeedbackFailedPage() {
  return (
    <div className="short">
      <h1>Failed to send feedback</h1>
      <p role="alert">{values.error} Go back in your browser to edit your message.</p>
    </div>
  )
}

/** The API reference, rendered by Swagger UI in `#api-docs`. */
export function ApiDocsPage() {
  return (
    <>
      <h1>API reference</h1>
      <div id="api-docs" />
      <noscript>
        <p>
          The API reference needs JavaScript. The same content is in the{' '}
          <a href="/api/openapi.json">OpenAPI document</a>.
        </p>
      </noscript>
    </>
  )
}
