import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

/** The query for what the checks found. Each visit runs them again. */
const checksQuery = queryOptions({
  queryKey: ['/api/admin/checks'],
  queryFn: ({ signal }) => call('adminChecks', { signal }),
  refetchOnMount: 'always',
})

export function useChecks() {
  return useQuery(checksQuery)
}
