import { useQuery } from '@tanstack/react-query'
import { call } from './call.ts'
import { settingsStaleMs } from './use-version.ts'

/**
 * Returns the mail address for help; null if this server has none, undefined until it is known.
 * Where it has none, the feedback form is the way to its operator.
 */
export function useSupportEmail(): string | null | undefined {
  return useQuery({
    queryKey: ['/api/settings/contact'],
    queryFn: ({ signal }) => call('contact', { signal }),
    staleTime: settingsStaleMs,
  }).data?.supportEmail
}
