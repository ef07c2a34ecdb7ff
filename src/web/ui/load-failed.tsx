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
  /** Names what could not be loaded, without a period. */
  title: string
  /** Describes what is unaffected, or a remedy. */
  children?: ReactNode
}

/** A card in place of content that failed to load, with a button to retry. */
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
  /** Names what could not be loaded, as a sentence. */
  text: string
  /** The button's accessible name, if the page has several 'Try again' buttons. */
  label?: string
  /** Margins, padding and borders of the line. */
  className?: string
}

/**
 * A line inside a card or panel, in place of content that failed to load, with a button to retry.
 */
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
  /** Names what could not be loaded, without a period, or an element to show instead. */
  failed: string | ReactNode
  children: (data: Data) => ReactNode
}

/** Renders a query's data, or its loading or failed state. */
export function Loaded<Data>({ query, loading, failed, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (!query.isError) return loading
  return typeof failed === 'string' ? <LoadFailed query={query} title={failed} /> : failed
}
