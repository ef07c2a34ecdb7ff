import { Clock, Files, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadError, type LoadErrorProps } from '../ui/load-error.tsx'

/** Shown if a list failed to load, with a button to retry. */
export function FilesLoadError({ query }: Pick<LoadErrorProps, 'query'>) {
  return (
    <LoadError query={query} title="Your files could not be loaded">
      They are safe. Check your connection and try again.
    </LoadError>
  )
}

/** Shown in place of a list without files. */
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

/** Shown in place of the results if a search finds nothing. */
export function NoSearchResults({ search, onClear }: { search: string; onClear: () => void }) {
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

/** Shown if no links expire soon. */
export function NoExpiringFiles({ onShowAll }: { onShowAll: () => void }) {
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
