import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ListPage } from '../api/call.ts'
import { serverClock } from '../api/server-clock.ts'
import { Card } from '../ui/card.tsx'
import { LoadFailed } from '../ui/load-failed.tsx'
import { OlderRows, RowsLoading } from './section.tsx'

export interface PagedListProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<ListPage<Item[]>>>
  /** What the rows are, inside a sentence: 'feedback'. */
  what: string
  /** The name of the list for screen readers. */
  label: string
  /** What the page shows if the list is empty. */
  empty: ReactNode
  /** Returns the row of an item. `now` is for texts such as 'today' and 'yesterday'. */
  row: (item: Item, now: Date) => ReactNode
}

/**
 * A list of the Admin Center that is loaded page by page. It also shows that it is being loaded,
 * that loading failed, or that it is empty.
 */
export function PagedList<Item>({ query, what, label, empty, row }: PagedListProps<Item>) {
  const { data, isError, isFetching, refetch, ...pages } = query
  if (!data) {
    return isError ? (
      <LoadFailed
        title={`The ${what} could not be loaded`}
        onRetry={() => void refetch()}
        pending={isFetching}
      />
    ) : (
      <RowsLoading label={`Loading the ${what}`} rows={3} />
    )
  }
  const all = itemsOf(data)
  if (all.length === 0) return <Card>{empty}</Card>
  const now = new Date(serverClock().now())
  return (
    <Card>
      <ul aria-label={label}>{all.map((item) => row(item, now))}</ul>
      <OlderRows
        what={what}
        hasMore={pages.hasNextPage}
        isLoading={pages.isFetchingNextPage}
        failed={pages.isFetchNextPageError}
        onMore={() => void pages.fetchNextPage()}
      />
    </Card>
  )
}

/** Returns the items of all pages that are loaded. */
export function itemsOf<Item>(data: InfiniteData<ListPage<Item[]>>): Item[] {
  return data.pages.flatMap(({ items }) => items)
}

/** How many rows of a long list one request reads. */
export const pageSize = 20

/**
 * The options of a query that reads a list page by page. The answer with each page contains the
 * cursor of the next page.
 */
export const pagesFrom = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
}
