import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

/**
 * Reads the user's analytics. Data is never stale by itself (spec §9), but a person who opens the
 * tab expects current numbers, so it is read anew each time.
 */
export function useAnalytics() {
  return useQuery({
    queryKey: ['/api/analytics'],
    queryFn: ({ signal }) => call('analytics', { signal }),
    refetchOnMount: 'always',
  })
}
