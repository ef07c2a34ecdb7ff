/** The page for every unknown path (spec §2). */
export function NotFoundPage() {
  return (
    <div className="short">
      {/* The bar of a link that has ended and cannot be renewed. */}
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
      <p className="muted">The address may be mistyped, or what stood here has left.</p>
      <a className="button primary" href="/">
        Go to the start page
      </a>
    </div>
  )
}
