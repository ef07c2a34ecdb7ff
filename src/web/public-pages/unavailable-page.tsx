import { publicPlaceholder } from '../../shared/public-placeholders.ts'

/** The answer when a browser opens an address and the server cannot answer now. */
export function UnavailablePage() {
  return (
    <div className="short">
      <h1>This page cannot be shown right now</h1>
      <p className="muted">{publicPlaceholder('fault')}</p>
      {/* A link to the same path opens it again. */}
      <a className="button primary" href="?">
        Try again
      </a>
    </div>
  )
}
