import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { ResetPasswordForm } from '../auth/reset-password-form.tsx'
import { useUrlToken } from '../auth/url-token.ts'
import { AuthPage } from './auth-page.tsx'
import { PageButton, PageLink } from './page-link.tsx'

/** The password reset page (spec §2): the form, or its result. */
export function ResetPasswordPage() {
  const [token, forgetToken] = useUrlToken()
  const queryClient = useQueryClient()
  const [state, setState] = useState<'asking' | 'done' | 'invalid'>(token ? 'asking' : 'invalid')
  const showResult = (result: 'done' | 'invalid') => {
    forgetToken()
    setState(result)
    // The reset ended all of the account's sessions, perhaps including the one in this browser.
    if (result === 'done') void queryClient.invalidateQueries(currentUserQuery)
  }

  if (state === 'done') {
    return (
      <AuthPage
        title="Password Reset Successful"
        lead="Sign in with your new password. All browsers were signed out."
      >
        <PageButton to="/login" variant="primary" size="large" wide>
          Go to Login
        </PageButton>
      </AuthPage>
    )
  }
  if (state === 'invalid') {
    return (
      <AuthPage
        title="Invalid Reset Link"
        lead="This password reset link is invalid or expired. On the login page, 'Forgot password?' sends a new one."
      >
        <PageButton to="/login" variant="primary" size="large" wide>
          Back to Login
        </PageButton>
      </AuthPage>
    )
  }
  return (
    <AuthPage
      title="Reset your password"
      lead="Choose a new password for your account."
      footer={
        <>
          Remembered it? <PageLink to="/login">Sign in</PageLink>
        </>
      }
    >
      <EndedLinkNote token={token} />
      <ResetPasswordForm
        token={token}
        onDone={() => showResult('done')}
        onInvalid={() => showResult('invalid')}
      />
    </AuthPage>
  )
}

/**
 * Warns that the link has expired or was already used, before the user enters a new password. The
 * check doesn't use up the link, because email scanners open links too.
 */
function EndedLinkNote({ token }: { token: string }) {
  const { data } = useQuery({
    queryKey: ['/api/auth/reset-password/check', token],
    queryFn: ({ signal }) =>
      call('POST /api/auth/reset-password/check', { body: { token }, signal }),
  })
  return data?.isValid === false ? (
    <p role="alert" className="mb-5 text-red">
      This link was already used or has expired. On the login page, 'Forgot password?' sends a new
      one.
    </p>
  ) : null
}
