import { Page } from './page.tsx'
import { PageButton } from './page-link.tsx'

/** Spec §2: any other path shows a not-found page. */
export function NotFoundPage() {
  return (
    <Page title="Page not found" centred>
      <div className="grid w-full max-w-[420px] justify-items-center text-center">
        {/* A bar that shows the time of a link that has ended and cannot be renewed. */}
        <svg width="180" height="8" aria-hidden="true" className="mb-8">
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
        <h1 className="text-2xl">There is nothing at this address</h1>
        <p className="mt-3 mb-8 text-muted">
          The address may be mistyped, or what stood here has left.
        </p>
        <PageButton to="/" variant="primary">
          Go to the start page
        </PageButton>
      </div>
    </Page>
  )
}
