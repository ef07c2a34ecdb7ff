import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, NetworkError, publicMessage } from '../api/call.ts'
import { toast } from '../ui/toast.tsx'
import { networkErrorText, showCallError } from './use-auth-form.ts'

/** The state of the page that a verification email links to (spec §2). */
export type EmailVerification =
  | { state: 'loading' }
  /** Waiting for a click, because the user didn't sign up in this browser. */
  | { state: 'unconfirmed'; confirm: () => void }
  | { state: 'verified' }
  /** `retry` is null unless the cause was a network failure. */
  | { state: 'failed'; reason: string; retry: (() => void) | null }

/**
 * Verifies an email address with the token that was sent to it. The browser used for the signup
 * verifies it immediately. Other browsers wait for a click, because email scanners open links and
 * run scripts.
 * @param token empty if the URL has none.
 */
export function useEmailVerification(token: string): EmailVerification {
  const [isConfirmed, setConfirmed] = useState(false)
  const tokenCheckQuery = useQuery({
    queryKey: ['/api/auth/verify-email/check', token],
    queryFn: () => withErrorToast(call('POST /api/auth/verify-email/check', { body: { token } })),
    enabled: token !== '' && !isConfirmed,
  })
  const canVerify = isConfirmed || tokenCheckQuery.data?.isOwnSignup === true
  const verificationQuery = useQuery({
    queryKey: ['/api/auth/verify-email', token],
    queryFn: () => verifyEmail(token),
    enabled: canVerify,
  })

  // The error that spec §5 defines for a missing token.
  if (token === '') {
    return { state: 'failed', reason: 'No verification token found in URL', retry: null }
  }
  if (verificationQuery.data) return { state: 'verified' }
  const { error, isFetching, refetch } = canVerify ? verificationQuery : tokenCheckQuery
  if (error !== null && !isFetching) {
    if (error instanceof NetworkError) {
      return { state: 'failed', reason: networkErrorText, retry: () => void refetch() }
    }
    return { state: 'failed', reason: publicMessage(error) ?? defaultErrorText, retry: null }
  }
  if (canVerify || !tokenCheckQuery.data) return { state: 'loading' }
  return { state: 'unconfirmed', confirm: () => setConfirmed(true) }
}

/** The default error message in spec §8. */
const defaultErrorText = 'Failed to verify email'

async function verifyEmail(token: string) {
  const response = await withErrorToast(call('POST /api/auth/verify-email', { body: { token } }))
  toast({ title: 'Email verified!' })
  return response
}

async function withErrorToast<Result>(response: Promise<Result>): Promise<Result> {
  try {
    return await response
  } catch (error) {
    showCallError(error, 'Verification failed', defaultErrorText, 'Network error')
    throw error
  }
}
