import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { EmptyState } from './empty-state.tsx'

type Query<Data = unknown> = Pick<UseQueryResult<Data>, 'data' | 'isError' | 'isFetching'> & {
  refetch: () => unknown
}

function TryAgain({ query, ...look }: { query: Query; size?: 'small'; label?: string }) {
  return (
    <Button
      {...look}
      pending={query.isFetching}
      pendingLabel="Loading…"
      onClick={() => void query.refetch()}
    >
      Try again
    </Button>
  )
}

export interface LoadFailedProps {
  query: Query
  /** Says what could not be loaded, without a full stop. */
  title: string
  /** What is not affected, or what a person can do. */
  children?: ReactNode
}

/** A card in place of what could not be loaded. Its button tries again. */
export function LoadFailed({ query, title, children }: LoadFailedProps) {
  return (
    <Card>
      <EmptyState failed icon={<CircleAlert />} title={title} action={<TryAgain query={query} />}>
        {children ?? 'Check your connection and try again.'}
      </EmptyState>
    </Card>
  )
}

export interface LoadFailedLineProps {
  query: Query
  /** Says what could not be loaded, as a sentence. */
  text: string
  /** The name of the button for screen readers, if the page has several that say 'Try again'. */
  label?: string
  /** Margins, padding and borders of the line. */
  className?: string
}

/** A line inside a card or panel, in place of what could not be loaded. Its button tries again. */
export function LoadFailedLine({ query, text, label, className = '' }: LoadFailedLineProps) {
  return (
    <div role="alert" className={`flex flex-wrap items-center gap-3 ${className}`}>
      <p className="text-muted text-sm">{text}</p>
      <TryAgain query={query} size="small" {...(label && { label })} />
    </div>
  )
}

export interface LoadedProps<Data> {
  query: Query<Data>
  /** Shown while the query has no data. */
  loading: ReactNode
  /** Says what could not be loaded, without a full stop. For another look, an element. */
  failed: string | ReactNode
  children: (data: Data) => ReactNode
}

/** Shows the data of a query, or that it is being loaded, or that loading failed. */
export function Loaded<Data>({ query, loading, failed, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (!query.isError) return loading
  return typeof failed === 'string' ? <LoadFailed query={query} title={failed} /> : failed
}
