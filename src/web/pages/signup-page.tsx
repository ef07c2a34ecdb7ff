import { useCallback } from 'react'
import { useLocation } from 'wouter'
import { defaultExpirationDays } from '../../shared/rules/lifetime.ts'
import { SignupForm } from '../auth/signup-form.tsx'
import { AuthPage } from './auth-page.tsx'
import { freeTierText } from './free-tier-text.ts'
import { PageLink } from './page-link.tsx'

/** Spec §2: the five fields, and a link to the login. */
export function SignupPage() {
  const [, navigate] = useLocation()
  const toLogin = useCallback(
    (email: string) => navigate('/login', { state: { email } }),
    [navigate],
  )
  return (
    <AuthPage
      title="Create your account"
      lead={`${freeTierText}, for ${defaultExpirationDays} days.`}
      other={
        <>
          Have an account? <PageLink to="/login">Sign in</PageLink>
        </>
      }
    >
      <SignupForm onDone={toLogin} />
    </AuthPage>
  )
}
