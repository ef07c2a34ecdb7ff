import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

/** The query for the figures of the whole server. It loads again each time the page is opened. */
export const statsQuery = queryOptions({
  queryKey: ['/api/admin/stats'],
  queryFn: ({ signal }) => call('adminStats', { signal }),
  refetchOnMount: 'always',
})

/** Returns the figures of the whole server. Each visit asks for them anew. */
export function useStats() {
  return useQuery(statsQuery)
}
