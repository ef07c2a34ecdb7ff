import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ListPage } from '../api/call.ts'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { QueryContent } from './load-error.tsx'
import { RowsLoading } from './skeleton.tsx'

export const pageSize = 20

/** Options for a query that loads a list page by page with a cursor. */
export const cursorPagingOptions = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
}

/** Returns the items on all loaded pages. */
export function flattenPages<Item>(data: InfiniteData<ListPage<Item[]>>): Item[] {
  return data.pages.flatMap(({ items }) => items)
}

export interface PagedListProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<ListPage<Item[]>>>
  /**
   * The noun for the rows in sentences, such as 'feedback' in 'The feedback could not be loaded'.
   */
  noun: string
  /** The list's accessible name. */
  label: string
  /** Shown instead of an empty list. */
  empty: ReactNode
  head?: ReactNode
  row: (item: Item) => ReactNode
}

/**
 * A card with a list that is loaded page by page, or with a message while it loads, if it is empty
 * or if loading failed.
 */
export function PagedList<Item>({ query, noun, label, empty, head, row }: PagedListProps<Item>) {
  const { isPlaceholderData } = query
  return (
    <QueryContent
      query={query}
      failed={`The ${noun} could not be loaded`}
      loading={<RowsLoading label={`Loading the ${noun}`} rows={3} />}
    >
      {(data) => {
        const items = flattenPages(data)
        if (items.length === 0) return <Card>{empty}</Card>
        return (
          <Card
            className={`overflow-clip ${isPlaceholderData ? 'opacity-60 transition-opacity duration-150' : ''}`}
          >
            {head}
            <ul aria-label={label} aria-busy={isPlaceholderData}>
              {items.map(row)}
            </ul>
            <OlderRowsButton query={query} noun={noun} />
          </Card>
        )
      }}
    </QueryContent>
  )
}

export interface OlderRowsButtonProps {
  query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'
  >
  noun: string
}

/**
 * The button that loads the next page. After the last page has loaded, focus moves to the end of
 * the list.
 */
export function OlderRowsButton({ query, noun }: OlderRowsButtonProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const hasFailed = query.isFetchNextPageError && !isFetchingNextPage
  const endRef = useRef<HTMLParagraphElement>(null)
  const [isPressed, setPressed] = useState(false)
  useEffect(() => {
    if (!hasNextPage && document.activeElement === document.body) endRef.current?.focus()
  }, [hasNextPage])

  if (!hasNextPage && !isPressed) return null
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-line border-t px-4 py-3 text-sm">
      {hasNextPage ? null : (
        <p ref={endRef} tabIndex={-1} className="text-muted outline-none">
          End of the list.
        </p>
      )}
      {hasFailed ? (
        <p role="alert" className="text-muted">
          Older {noun} could not be loaded.
        </p>
      ) : null}
      {hasNextPage ? (
        <Button
          size="small"
          pending={isFetchingNextPage}
          pendingLabel="Loading…"
          onClick={() => {
            setPressed(true)
            void fetchNextPage()
          }}
        >
          {hasFailed ? 'Try again' : 'Show older'}
        </Button>
      ) : null}
    </div>
  )
}
