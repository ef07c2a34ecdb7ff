import { useQuery } from '@tanstack/react-query'
import { ApiError, call, NetworkError } from '../api/call.ts'
import { toast } from '../ui/toast.tsx'
import { tellFailure } from './use-auth-form.ts'

/** What the page of a letter's link shows (spec §4, email verification). */
export type EmailVerification =
  | { state: 'loading' }
  | { state: 'verified' }
  /** `retry` is there where the token was not spent, because no answer came. */
  | { state: 'failed'; reason: string; retry: (() => void) | null }

/**
 * Posts the token of a letter, once for each token, however often the page is drawn. A second post
 * would succeed too.
 * @param token empty where the address has none.
 */
export function useEmailVerification(token: string): EmailVerification {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['/api/auth/verify-email', token],
    queryFn: () => verifyEmail(token),
    enabled: token !== '',
  })
  // Spec §5, verify email.
  if (token === '') {
    return { state: 'failed', reason: 'No verification token found in URL', retry: null }
  }
  if (data) return { state: 'verified' }
  if (error === null || isFetching) return { state: 'loading' }
  if (error instanceof NetworkError) {
    return { state: 'failed', reason: 'Network error occurred', retry: () => void refetch() }
  }
  const reason = error instanceof ApiError ? error.publicMessage : undefined
  return { state: 'failed', reason: reason ?? failed.description, retry: null }
}

/** Spec §8. */
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
