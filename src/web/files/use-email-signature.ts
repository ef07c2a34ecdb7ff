import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { settingsStaleTime } from '../api/use-version.ts'

/** Returns the signature under mails that share a link; empty until it is known. */
export function useEmailSignature(): string {
  return (
    useQuery({
      queryKey: ['/api/settings/email-signature'],
      queryFn: ({ signal }) => call('emailSignature', { signal }),
      staleTime: settingsStaleTime,
    }).data?.signature ?? ''
  )
}
