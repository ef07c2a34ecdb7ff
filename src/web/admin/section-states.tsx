import { CircleAlert } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'

/** Grey shapes in place of the rows of a section that is being loaded. */
export function RowsLoading({ label, rows }: { label: string; rows: number }) {
  return (
    <Card>
      <Loading label={label}>
        {Array.from({ length: rows }, (_, row) => row).map((row) => (
          <div
            key={row}
            className="flex items-center gap-4 border-line border-t px-4 py-4 first-of-type:border-t-0 sm:px-5"
          >
            <div className="grid flex-1 gap-2">
              <Skeleton className="h-3.5 w-3/5 max-w-72" />
              <Skeleton className="h-3 w-32" />
            </div>
            <Skeleton className="hidden h-8 w-32 sm:block" />
          </div>
        ))}
      </Loading>
    </Card>
  )
}

export interface SectionFailedProps {
  /** What could not be loaded, as a sentence without its full stop. */
  title: string
  onRetry: () => void
  pending: boolean
}

/** Says that the content of a section could not be read, with a button that reads it again. */
export function SectionFailed({ title, onRetry, pending }: SectionFailedProps) {
  return (
    <Card>
      <EmptyState
        failed
        icon={<CircleAlert />}
        title={title}
        action={
          <Button pending={pending} pendingLabel="Loading…" onClick={onRetry}>
            Try again
          </Button>
        }
      >
        Check your connection and try again.
      </EmptyState>
    </Card>
  )
}

export interface OlderRowsProps {
  /** What the older rows are: 'feedback', 'acts'. */
  what: string
  isLoading: boolean
  failed: boolean
  onMore: () => void
}

/** The end of a list in pages: a button that reads the next page, also after a failure. */
export function OlderRows({ what, isLoading, failed, onMore }: OlderRowsProps) {
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-line border-t px-4 py-3">
      {failed && !isLoading ? (
        <p role="alert" className="text-muted text-sm">
          Older {what} could not be loaded.
        </p>
      ) : null}
      <Button size="small" pending={isLoading} pendingLabel="Loading…" onClick={onMore}>
        {failed ? 'Try again' : 'Show older'}
      </Button>
    </div>
  )
}
