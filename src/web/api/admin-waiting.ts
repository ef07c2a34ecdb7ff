import { queryOptions } from '@tanstack/react-query'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { call } from './call.ts'

/** The first part of the key of every query that only the administrator may send. */
export const adminKey = 'admin'

/** What waits for the administrator. A page that is visible asks once a minute. */
export const adminWaitingQuery = queryOptions({
  queryKey: [adminKey, 'waiting'],
  queryFn: ({ signal }) => call('adminWaiting', { signal }),
  staleTime: minuteInMs,
  refetchInterval: minuteInMs,
})
