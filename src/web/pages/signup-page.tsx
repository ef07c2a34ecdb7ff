import { useCallback } from 'react'
import { useLocation } from 'wouter'
import { defaultExpirationDays } from '../../shared/rules/lifetime.ts'
import { SignupForm } from '../auth/signup-form.tsx'
import { useSignupPolicy } from '../auth/use-signup-policy.ts'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { AuthPage } from './auth-page.tsx'
import { freeTierText } from './free-tier-text.ts'
import { PageButton, PageLink } from './page-link.tsx'

/** Spec §2: the five fields, and a link to the login. Where signing up is closed, it says so. */
export function SignupPage() {
  const [, navigate] = useLocation()
  const toLogin = useCallback(
    (email: string) => navigate('/login', { state: { email } }),
    [navigate],
  )
  const policy = useSignupPolicy()

  if (policy === 'closed') {
    return (
      <AuthPage title="Signing up is closed" lead="The administrator makes the accounts here.">
        <PageButton to="/login" variant="primary" size="large" wide>
          Back to Login
        </PageButton>
      </AuthPage>
    )
  }
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
      {policy === undefined ? <LoadingForm /> : <SignupForm policy={policy} onDone={toLogin} />}
    </AuthPage>
  )
}

/** The shape of the form, until it is known whether there is one. */
function LoadingForm() {
  return (
    <Loading label="Loading">
      <div className="grid gap-5">
        {['name', 'email', 'password', 'confirmation'].map((field) => (
          <div key={field} className="grid gap-1.5">
            <Skeleton className="h-5 w-24" />
            <Skeleton className="h-11 w-full" />
          </div>
        ))}
        <Skeleton className="h-[52px] w-full" />
      </div>
    </Loading>
  )
}
