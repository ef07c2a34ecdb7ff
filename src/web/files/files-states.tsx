import { Clock, Files, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadFailed, type LoadFailedProps } from '../ui/load-failed.tsx'

/** Says that the list could not be read, with a button that reads it again. */
export function FilesFailed({ query }: Pick<LoadFailedProps, 'query'>) {
  return (
    <LoadFailed query={query} title="Your files could not be loaded">
      They are safe. Check your connection and try again.
    </LoadFailed>
  )
}

/** Says that there are no files yet. */
export function NoFiles({ action }: { action?: ReactNode }) {
  return (
    <Card>
      <EmptyState icon={<Files />} title="No files yet" action={action}>
        <span className="cannot-drag:hidden">Drop a file anywhere on this page.</span>
        <span className="can-drag:hidden">Upload a file.</span> It gets a short link that anyone can
        download from until it expires.
      </EmptyState>
    </Card>
  )
}

/** Says that the next part of the list could not be read, with a button that tries it again. */
export function MoreFailed({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="mt-3 flex flex-wrap items-center justify-center gap-3 text-sm">
      <p className="text-muted">The files after these could not be loaded.</p>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

/** Says that no file name contains the searched text. */
export function NothingFound({ search, onClear }: { search: string; onClear: () => void }) {
  return (
    <Card>
      <EmptyState
        icon={<SearchX />}
        title="No files found"
        action={<Button onClick={onClear}>Clear search</Button>}
      >
        <span className="wrap-anywhere">No name contains “{search}”.</span>
      </EmptyState>
    </Card>
  )
}

/** Says that no link ends soon. */
export function NothingExpires({ onShowAll }: { onShowAll: () => void }) {
  return (
    <Card>
      <EmptyState
        icon={<Clock />}
        title="No link ends within 24 hours"
        action={<Button onClick={onShowAll}>Show all files</Button>}
      >
        Show all files to see links that end later or have ended.
      </EmptyState>
    </Card>
  )
}
