import { useCallback } from 'react'
import { useLocation } from 'wouter'
import { daysText } from '../../shared/rules/limit-text.ts'
import { withNext } from '../../shared/rules/next-path.ts'
import { defaultTier } from '../../shared/rules/tier.ts'
import { trialDays } from '../../shared/rules/trial.ts'
import { useLimits } from '../api/use-limits.ts'
import { useSignInWays } from '../api/use-sign-in-ways.ts'
import { GoogleButton } from '../auth/google-button.tsx'
import { SignupForm } from '../auth/signup-form.tsx'
import { useNext } from '../auth/use-next.ts'
import { KeptFilesNote } from '../uploads/kept/kept-files-note.tsx'
import { AuthPage } from './auth-page.tsx'
import { freeTierText } from './free-tier-text.ts'
import { PageButton, PageLink } from './page-link.tsx'
import { VisitorScreen } from './screen-sets.tsx'

/** The landing page promises a trial. This text says how to start it. */
const trialText = `For ${trialDays} days of Premium, free, press Start trial on your dashboard.`

/**
 * Spec §2: the five fields, a button for Google, and a link to the login. If signing up is closed,
 * the page says so.
 */
export function SignupPage() {
  return (
    <VisitorScreen>
      <Signup />
    </VisitorScreen>
  )
}

function Signup() {
  const [, navigate] = useLocation()
  const next = useNext()
  const toLogin = useCallback(
    (email: string) => navigate(withNext('/login', next), { state: { email } }),
    [navigate, next],
  )
  const { signup } = useSignInWays()
  const limits = useLimits()[defaultTier]

  if (signup === 'closed') {
    return (
      <AuthPage title="Signing up is closed" lead="The administrator makes the accounts here.">
        <KeptFilesNote />
        <PageButton to="/login" next={next} variant="primary" size="large" wide>
          Back to Login
        </PageButton>
      </AuthPage>
    )
  }
  return (
    <AuthPage
      title="Create your account"
      lead={`${freeTierText(limits)}, for ${daysText(...limits.expirationDays)}. ${trialText}`}
      other={
        <>
          Have an account?{' '}
          <PageLink to="/login" next={next}>
            Sign in
          </PageLink>
        </>
      }
    >
      <KeptFilesNote />
      <SignupForm policy={signup} onDone={toLogin} />
      <GoogleButton>Sign up with Google</GoogleButton>
    </AuthPage>
  )
}
