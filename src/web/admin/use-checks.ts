import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { checksKey } from './refresh.ts'

/** The query for the results of the checks. The checks run again each time the page is opened. */
const checksQuery = queryOptions({
  queryKey: [checksKey],
  queryFn: ({ signal }) => call('adminChecks', { signal }),
  refetchOnMount: 'always',
})

export function useChecks() {
  return useQuery(checksQuery)
}
