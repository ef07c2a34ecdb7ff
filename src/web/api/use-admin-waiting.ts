import { queryOptions, useQuery } from '@tanstack/react-query'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { call } from './call.ts'

/**
 * The query for what waits for the administrator. A page that is in sight asks once a minute. Only
 * the administrator may ask.
 */
export const adminWaitingQuery = queryOptions({
  queryKey: ['/api/admin/waiting'],
  queryFn: ({ signal }) => call('adminWaiting', { signal }),
  staleTime: minuteInMs,
  refetchInterval: minuteInMs,
})

/** Uses `adminWaitingQuery`: `data` is undefined until the first answer. */
export function useAdminWaiting() {
  return useQuery(adminWaitingQuery)
}
