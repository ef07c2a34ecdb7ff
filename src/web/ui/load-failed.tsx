import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { EmptyState } from './empty-state.tsx'

export interface LoadFailedProps {
  /** Says what could not be loaded, without a full stop. */
  title: string
  /** What is not affected, or what a person can do. */
  children?: ReactNode
  onRetry: () => void
  /** True while the content is being loaded again. */
  pending: boolean
}

/** A card in place of what could not be loaded. Its button tries again. */
export function LoadFailed({
  title,
  children = 'Check your connection and try again.',
  onRetry,
  pending,
}: LoadFailedProps) {
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
        {children}
      </EmptyState>
    </Card>
  )
}

export interface LoadFailedLineProps {
  /** Says what could not be loaded, as a sentence. */
  text: string
  /**
   * The name of the button for screen readers, where 'Try again' alone stands on the page twice.
   */
  label?: string
  onRetry: () => void
  /** True while the content is being loaded again. */
  pending: boolean
  /** Where the line stands: margins, padding and borders. */
  className?: string
}

/** A line inside a card or panel, in place of what could not be loaded. Its button tries again. */
export function LoadFailedLine({
  text,
  label,
  onRetry,
  pending,
  className = '',
}: LoadFailedLineProps) {
  return (
    <div role="alert" className={`flex flex-wrap items-center gap-3 ${className}`}>
      <p className="text-muted text-sm">{text}</p>
      <Button
        size="small"
        {...(label !== undefined && { label })}
        pending={pending}
        pendingLabel="Loading…"
        onClick={onRetry}
      >
        Try again
      </Button>
    </div>
  )
}
