import { useInfiniteQuery } from '@tanstack/react-query'
import { callForPage } from '../api/call.ts'

/** How many receipts one request loads. */
const pageSize = 20

/**
 * Returns the receipts of the user's deleted files, newest first, and a function that loads more of
 * them.
 */
export function useReceipts() {
  const { data, hasNextPage, fetchNextPage, isError, isFetching, refetch } = useInfiniteQuery({
    queryKey: ['/api/files/receipts'],
    // The user may have deleted a file elsewhere, so there may be a new receipt.
    refetchOnMount: 'always',
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...(pageParam && { cursor: pageParam }) }
      return callForPage('listReceipts', { query, signal })
    },
    getNextPageParam: ({ next }) => next,
  })
  return {
    receipts: data?.pages.flatMap(({ items }) => items),
    hasMore: hasNextPage,
    readMore: fetchNextPage,
    isError,
    isFetching,
    refetch,
  }
}
