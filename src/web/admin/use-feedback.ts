import {
  type InfiniteData,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import type { Feedback } from '../../shared/contract/feedback.ts'
import { ApiError, call, callForPage, type ListPage } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { toast } from '../ui/toast.tsx'
import { faultText } from './error-text.ts'
import { pageSize, pagesFrom } from './paged-list.tsx'
import { refreshAfterAct } from './refresh.ts'

const feedbackKey = ['/api/admin/feedback']

/** Loads all feedback page by page, newest first. It loads again each time the page is opened. */
export function useFeedback() {
  return useInfiniteQuery({
    queryKey: feedbackKey,
    queryFn: ({ pageParam: cursor, signal }) =>
      callForPage('listFeedback', { query: { limit: pageSize, cursor }, signal }),
    ...pagesFrom,
    staleTime: 0,
  })
}

/** Deletes one feedback for good. Feedback that another window has deleted is a success too. */
export function useDeleteFeedback() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id }: Feedback) => {
      try {
        await call('deleteFeedback', { params: { id } })
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'FEEDBACK_NOT_FOUND')) throw error
      }
    },
    onSuccess: (_, { id }) => {
      client.setQueryData<InfiniteData<ListPage<Feedback[]>>>(
        feedbackKey,
        (known) =>
          known && {
            ...known,
            pages: known.pages.map((page) => ({
              ...page,
              items: page.items.filter((feedback) => feedback.id !== id),
            })),
          },
      )
      void client.invalidateQueries({ queryKey: feedbackKey })
      refreshAfterAct(client)
      toast({ title: 'Feedback deleted' })
    },
    onError: (error) => {
      if (saysSignedOut(error)) return
      const title = 'Failed to delete the feedback'
      toast({ title, description: faultText(error), tone: 'destructive' })
    },
  })
}
