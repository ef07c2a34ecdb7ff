import { queryOptions, useQuery } from '@tanstack/react-query'
import { defaultLimits, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { call } from './call.ts'
import { settingsStaleMs } from './use-version.ts'

/**
 * The query for the limits of each tier. A signed-in user gets the limits together with the user
 * (`currentUserQuery`). So this query sends no request until they are 5 minutes old. After that, a
 * page that stays open loads them again. Otherwise it would skip files that a raised limit allows.
 */
export const limitsQuery = queryOptions({
  queryKey: ['/api/settings/limits'],
  queryFn: ({ signal }): Promise<Limits> => call('limits', { signal }),
  staleTime: settingsStaleMs,
  refetchInterval: settingsStaleMs,
})

/**
 * Returns the limits of each tier, or the default limits until the page knows them. A wrong default
 * does no harm, because the server checks every upload.
 */
export function useLimits(): Limits {
  return useQuery(limitsQuery).data ?? defaultLimits
}
