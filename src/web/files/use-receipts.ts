import { useInfiniteQuery } from '@tanstack/react-query'
import { callForPage } from '../api/call.ts'

/** How many receipts one request reads. */
const pageSize = 20

/**
 * Returns the receipts of the files that the user deleted, the newest first, and a function that
 * reads more of them.
 */
export function useReceipts() {
  const { data, hasNextPage, fetchNextPage, isError, isFetching, refetch } = useInfiniteQuery({
    queryKey: ['/api/files/receipts'],
    // A deletion elsewhere makes a new receipt.
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
