import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'

/**
 * The query for what the account has. Every upload changes that, so each visit of the account page
 * reads it again.
 */
const holdingsQuery = queryOptions({
  queryKey: ['/api/auth/user/holdings'],
  queryFn: ({ signal }) => call('holdings', { signal }),
  refetchOnMount: 'always',
})

/**
 * Returns what the account has: files, their size, and active links. Each visit asks for it anew.
 */
export function useHoldings() {
  return useQuery(holdingsQuery)
}
