import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from './call.ts'
import { settingsStaleMs } from './use-version.ts'

export const emailSignatureQuery = queryOptions({
  queryKey: ['/api/settings/email-signature'],
  queryFn: ({ signal }) => call('emailSignature', { signal }),
  staleTime: settingsStaleMs,
})

/** Returns the signature below emails that share a link. Empty until the page knows it. */
export function useEmailSignature(): string {
  return useQuery(emailSignatureQuery).data?.signature ?? ''
}
