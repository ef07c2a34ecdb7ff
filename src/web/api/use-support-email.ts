import { useQuery } from '@tanstack/react-query'
import { call } from './call.ts'
import { settingsStaleTime } from './use-version.ts'

/** Returns the mail address for help; undefined until it is known. */
export function useSupportEmail(): string | undefined {
  return useQuery({
    queryKey: ['/api/settings/contact'],
    queryFn: ({ signal }) => call('contact', { signal }),
    staleTime: settingsStaleTime,
  }).data?.supportEmail
}
