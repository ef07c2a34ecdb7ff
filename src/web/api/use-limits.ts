import { queryOptions, useQuery } from '@tanstack/react-query'
import { defaultLimits, type Limits } from '../../shared/rules/tier-limits.ts'
import { call } from './call.ts'
import { settingsStaleTime } from './use-version.ts'

/**
 * The query for the limits of each tier. For a signed-in user they come with the user
 * (`currentUserQuery`), so it sends no request until they are 5 minutes old. A page that stays open
 * reads them again then, or it would skip files that a raised limit allows.
 */
export const limitsQuery = queryOptions({
  queryKey: ['/api/settings/limits'],
  queryFn: ({ signal }): Promise<Limits> => call('limits', { signal }),
  staleTime: settingsStaleTime,
  refetchInterval: settingsStaleTime,
})

/**
 * Returns the limits of each tier. Until they are known, these are the defaults; the server checks
 * every upload anyway.
 */
export function useLimits(): Limits {
  return useQuery(limitsQuery).data ?? defaultLimits
}
