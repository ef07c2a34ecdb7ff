import { queryOptions } from '@tanstack/react-query'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { call } from './call.ts'

/** The query key prefix for all admin-only queries. */
export const adminKey = 'admin'

/**
 * Counts the items that need the administrator's attention. Refetched every minute while the page
 * is visible.
 */
export const pendingWorkQuery = queryOptions({
  queryKey: [adminKey, 'waiting'],
  queryFn: ({ signal }) => call('GET /api/admin/waiting', { signal }),
  staleTime: minuteInMs,
  refetchInterval: minuteInMs,
})
