import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'

/**
 * The query for what the account has. It changes with every upload, so each visit reads it again.
 */
const holdingsQuery = queryOptions({
  queryKey: ['/api/auth/user/holdings'],
  queryFn: ({ signal }) => call('holdings', { signal }),
  refetchOnMount: 'always',
})

export function useHoldings() {
  return useQuery(holdingsQuery)
}
