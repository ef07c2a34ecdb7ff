import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { EmptyState } from './empty-state.tsx'
import { Loading, Skeleton } from './skeleton.tsx'

type QueryState<Data = unknown> = Pick<UseQueryResult<Data>, 'data' | 'isError' | 'isFetching'> & {
  refetch: () => unknown
}

function RetryButton({
  query,
  ...buttonProps
}: {
  query: QueryState
  size?: 'small'
  label?: string
}) {
  return (
    <Button
      {...buttonProps}
      pending={query.isFetching}
      pendingLabel="Loading…"
      onClick={() => void query.refetch()}
    >
      Try again
    </Button>
  )
}

export interface LoadErrorProps {
  query: QueryState
  /** The error message without a final period, such as 'Your files could not be loaded'. */
  title: string
  /** Says what still works, or what to do next. */
  children?: ReactNode
}

/** A card shown in place of content that failed to load, with a button to retry. */
export function LoadError({ query, title, children }: LoadErrorProps) {
  return (
    <Card>
      <EmptyState
        failed
        icon={<CircleAlert />}
        title={title}
        action={<RetryButton query={query} />}
      >
        {children ?? 'Check your connection and try again.'}
      </EmptyState>
    </Card>
  )
}

export interface InlineLoadErrorProps {
  query: QueryState
  /** The error message, as a sentence with a period. */
  text: string
  /** The button's accessible name, if the page has several 'Try again' buttons. */
  label?: string
  /** Classes for the line's margins, padding and borders. */
  className?: string
}

/**
 * A line inside a card or panel, shown in place of content that failed to load, with a button to
 * retry.
 */
export function InlineLoadError({ query, text, label, className = '' }: InlineLoadErrorProps) {
  return (
    <div role="alert" className={`flex flex-wrap items-center gap-3 ${className}`}>
      <p className="text-muted text-sm">{text}</p>
      <RetryButton query={query} size="small" {...(label && { label })} />
    </div>
  )
}

export interface QueryContentProps<Data> {
  query: QueryState<Data>
  /** Shown while the query has no data. */
  loading: ReactNode
  /** The error message without a final period, or an element to show instead. */
  failed: string | ReactNode
  children: (data: Data) => ReactNode
}

/**
 * Renders `children` with the query's data, `loading` until there is data, or `failed` if the query
 * failed.
 */
export function QueryContent<Data>({ query, loading, failed, children }: QueryContentProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (!query.isError) return loading
  return typeof failed === 'string' ? <LoadError query={query} title={failed} /> : failed
}

/** One of the query's figures, or a placeholder while the query loads and after it failed. */
export function QueryFigure({ query, children }: { query: QueryState; children: ReactNode }) {
  if (query.data !== undefined) return children
  if (query.isError && !query.isFetching) return <span className="text-muted">–</span>
  return (
    <Loading label="Loading">
      <Skeleton className="my-1 h-5 w-16" />
    </Loading>
  )
}
