import { useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'

/** Grey shapes in place of the rows, while a section is loading. */
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

export interface OlderRowsProps {
  /** What the rows are. Examples: 'feedback', 'entries'. */
  what: string
  hasMore: boolean
  isLoading: boolean
  failed: boolean
  onMore: () => void
}

/**
 * The end of a list that is loaded page by page. A button loads the next page, and tries again
 * after a failure.
 */
export function OlderRows({ what, hasMore, isLoading, failed, onMore }: OlderRowsProps) {
  const end = useRef<HTMLParagraphElement>(null)
  const [isPressed, setPressed] = useState(false)
  // After the last page, the pressed button disappears together with the focus. So the end of the
  // list gets the focus.
  useEffect(() => {
    if (!hasMore && document.activeElement === document.body) end.current?.focus()
  }, [hasMore])

  if (!hasMore && !isPressed) return null
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-line border-t px-4 py-3 text-sm">
      {hasMore ? null : (
        <p ref={end} tabIndex={-1} className="text-muted outline-none">
          That is all.
        </p>
      )}
      {failed && !isLoading ? (
        <p role="alert" className="text-muted">
          Older {what} could not be loaded.
        </p>
      ) : null}
      {hasMore ? (
        <Button
          size="small"
          pending={isLoading}
          pendingLabel="Loading…"
          onClick={() => {
            setPressed(true)
            onMore()
          }}
        >
          {failed ? 'Try again' : 'Show older'}
        </Button>
      ) : null}
    </div>
  )
}
