import { useQuery } from '@tanstack/react-query'
import { ApiError, call, NetworkError } from '../api/call.ts'
import { toast } from '../ui/toast.tsx'
import { networkErrorOccurred } from './texts.ts'
import { tellFailure } from './use-auth-form.ts'

/** What the page shows that a verification email links to (spec §2, verification). */
export type EmailVerification =
  | { state: 'loading' }
  | { state: 'verified' }
  /** `retry` sends the token again. It is null unless the network failed. */
  | { state: 'failed'; reason: string; retry: (() => void) | null }

/**
 * Sends the token of a verification email to the server. It does so once for each token, however
 * often React draws the page. Sending it twice would do no harm.
 * @param token empty if the URL has none.
 */
export function useEmailVerification(token: string): EmailVerification {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['/api/auth/verify-email', token],
    queryFn: () => verifyEmail(token),
    enabled: token !== '',
  })
  // Spec §5, verify email: without a token the page shows this failure.
  if (token === '') {
    return { state: 'failed', reason: 'No verification token found in URL', retry: null }
  }
  if (data) return { state: 'verified' }
  if (error === null || isFetching) return { state: 'loading' }
  if (error instanceof NetworkError) {
    return { state: 'failed', reason: networkErrorOccurred, retry: () => void refetch() }
  }
  const reason = error instanceof ApiError ? error.publicMessage : undefined
  return { state: 'failed', reason: reason ?? failed.description, retry: null }
}

/** The default error of spec §8. */
const failed = { title: 'Verification failed', description: 'Failed to verify email' }

async function verifyEmail(token: string) {
  try {
    const answer = await call('verifyEmail', { body: { token } })
    toast({ title: 'Email verified!' })
    return answer
  } catch (error) {
    tellFailure({ failed, networkTitle: 'Network error' }, error)
    throw error
  }
}
