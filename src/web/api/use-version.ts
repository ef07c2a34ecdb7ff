import { queryOptions, useQuery } from '@tanstack/react-query'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { call } from './call.ts'

/** Spec §7: browsers keep the public settings, such as price and version, for 5 minutes. */
export const settingsStaleMs = 5 * minuteInMs

export const versionQuery = queryOptions({
  queryKey: ['/api/settings/version'],
  queryFn: ({ signal }) => call('version', { signal }),
  staleTime: settingsStaleMs,
})

/** Returns the version text of the product; undefined until it is known. */
export function useVersion(): string | undefined {
  return useQuery(versionQuery).data?.version
}
