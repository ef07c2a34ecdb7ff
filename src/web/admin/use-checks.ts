import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AdminWaiting, CheckLine } from '../../shared/contract/checks.ts'
import { call } from '../api/call.ts'
import { adminWaitingQuery } from '../api/use-admin-waiting.ts'
import { checksKey } from './refresh.ts'

/** The query for the results of the checks. The checks run again each time the page is opened. */
const checksQuery = queryOptions({
  queryKey: [checksKey],
  queryFn: ({ client, signal }) => readChecks(client, { signal }),
  refetchOnMount: 'always',
})

async function readChecks(
  client: QueryClient,
  input: { signal: AbortSignal; query?: { fresh: 'true' } },
): Promise<CheckLine[]> {
  const lines = await call('adminChecks', input)
  // The mark in the header counts the failing lines too. It needs no call of its own now.
  client.setQueryData(adminWaitingQuery.queryKey, (known) => known && withChecks(known, lines))
  return lines
}

function withChecks(known: AdminWaiting, lines: readonly CheckLine[]): AdminWaiting {
  const failingChecks = lines.filter(({ status }) => status === 'failing').length
  return { ...known, failingChecks }
}

/** Returns the lines of all checks. Each visit asks for them anew. */
export function useChecks() {
  return useQuery(checksQuery)
}

/**
 * Returns a function that lets the server run the checks now. The server may otherwise answer with
 * results that are some seconds old. All users of `useChecks` get the new results, or the error.
 */
export function useCheckAgain(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    // A call that is already running may get earlier results.
    await client.cancelQueries({ queryKey: checksQuery.queryKey })
    const queryFn = ({ signal }: { signal: AbortSignal }) =>
      readChecks(client, { signal, query: { fresh: 'true' } })
    await client.fetchQuery({ ...checksQuery, queryFn, staleTime: 0 }).catch(() => undefined)
  }
}
