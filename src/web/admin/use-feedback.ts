import { useInfiniteQuery } from '@tanstack/react-query'
import { callForPage } from '../api/call.ts'
import { pageSize, pagesFrom } from './pages.ts'

/** Loads all feedback page by page, newest first. It loads again each time the page is opened. */
export function useFeedback() {
  return useInfiniteQuery({
    queryKey: ['/api/admin/feedback'],
    queryFn: ({ pageParam: cursor, signal }) =>
      callForPage('listFeedback', { query: { limit: pageSize, cursor }, signal }),
    ...pagesFrom,
    staleTime: 0,
  })
}
