import { queryOptions, useQuery } from '@tanstack/react-query'
import type { AdminWaiting, CheckLine } from '../../shared/contract/checks.ts'
import { call } from '../api/call.ts'
import { adminWaitingQuery } from '../api/use-admin-waiting.ts'
import { checksKey } from './refresh.ts'

/** The query for the results of the checks. The checks run again each time the page is opened. */
const checksQuery = queryOptions({
  queryKey: [checksKey],
  queryFn: async ({ client, signal }) => {
    const lines = await call('adminChecks', { signal })
    // The mark in the header counts the failing lines too. It needs no call of its own now.
    client.setQueryData(adminWaitingQuery.queryKey, (known) => known && withChecks(known, lines))
    return lines
  },
  refetchOnMount: 'always',
})

function withChecks(known: AdminWaiting, lines: readonly CheckLine[]): AdminWaiting {
  const failingChecks = lines.filter(({ status }) => status === 'failing').length
  return { ...known, failingChecks }
}

export function useChecks() {
  return useQuery(checksQuery)
}
