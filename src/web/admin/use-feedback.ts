import { useInfiniteQuery } from '@tanstack/react-query'
import { callForPage } from '../api/call.ts'
import { pageSize, pagesFrom } from './pages.ts'

/** All feedback, newest first, in pages. Each visit reads it again. */
export function useFeedback() {
  return useInfiniteQuery({
    queryKey: ['/api/admin/feedback'],
    queryFn: ({ pageParam: cursor, signal }) =>
      callForPage('listFeedback', { query: { limit: pageSize, cursor }, signal }),
    ...pagesFrom,
    staleTime: 0,
  })
}
