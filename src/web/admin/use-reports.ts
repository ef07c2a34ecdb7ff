import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import type { Report } from '../../shared/contract/abuse.ts'
import { ApiError, call, callForPage, type ListPage } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { toast } from '../ui/toast.tsx'
import { errorText } from './error-text.ts'
import { pageSize, pagesFrom } from './paged-list.tsx'
import { refreshAfterAct } from './refresh.ts'

const reportsKey = ['/api/admin/reports']

/**
 * Loads the open reports page by page, the last reported first. It loads again each time the page
 * is opened.
 */
export function useReports() {
  return useInfiniteQuery({
    queryKey: reportsKey,
    queryFn: ({ pageParam: cursor, signal }) =>
      callForPage('listReports', { query: { limit: pageSize, cursor }, signal }),
    ...pagesFrom,
    staleTime: 0,
  })
}

/**
 * Removes a report from the list at once. Then reloads what the action may have changed.
 * @param id null if there is no report.
 */
function afterClosing(client: QueryClient, id: string | null): void {
  client.setQueryData<InfiniteData<ListPage<Report[]>>>(
    reportsKey,
    (known) =>
      known && {
        ...known,
        pages: known.pages.map((page) => ({
          ...page,
          items: page.items.filter((report) => report.id !== id),
        })),
      },
  )
  void client.invalidateQueries({ queryKey: reportsKey })
  refreshAfterAct(client)
}

function tellFailure(client: QueryClient, error: unknown, title: string): void {
  if (saysSignedOut(error)) return
  toast({ title, description: errorText(error), tone: 'destructive' })
  // Reload the reports too, because somebody may have closed some in another window.
  void client.invalidateQueries({ queryKey: reportsKey })
}

/**
 * Returns a mutation that closes a report and leaves the file as it is. The server says how many
 * reports are still open. If the report is already closed, this is a success too.
 */
export function useDismissReport({ id }: Report) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      try {
        return (await call('dismissReport', { params: { id } })).message
      } catch (error) {
        if (error instanceof ApiError && error.code === 'REPORT_NOT_FOUND')
          return 'The report was already closed'
        throw error
      }
    },
    onSuccess: (title) => {
      afterClosing(client, id)
      toast({ title })
    },
    onError: (error) => tellFailure(client, error, 'Failed to dismiss the report'),
  })
}

/**
 * Returns a mutation that takes a file down. Its argument is the reason, which the owner will read.
 */
export function useTakeDown({
  shortCode,
  reportId,
}: {
  shortCode: string
  reportId: string | null
}) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (reason: string) => call('takeDown', { body: { shortCode, reason } }),
    onSuccess: ({ message }) => {
      afterClosing(client, reportId)
      toast({ title: 'Taken down', description: message })
    },
    onError: (error) => tellFailure(client, error, 'Failed to take the file down'),
  })
}
