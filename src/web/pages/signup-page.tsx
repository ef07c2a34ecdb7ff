import { useCallback } from 'react'
import { useLocation } from 'wouter'
import { withNext } from '../../shared/rules/accounts/next-path.ts'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import {
  daysText,
  filesText,
  type Limits,
  limitsText,
  type TierLimits,
} from '../../shared/rules/tiers/tier-limits.ts'
import { trialDays, trialOfferPath } from '../../shared/rules/tiers/trial.ts'
import { useLimits, useSignInWays } from '../api/public-values.ts'
import { GoogleButton } from '../auth/google-button.tsx'
import type { NewAccount } from '../auth/new-account-note.tsx'
import { SignupForm } from '../auth/signup-form.tsx'
import { useNextPath } from '../auth/use-auth-state.ts'
import { useNoEmailNote } from '../auth/use-no-email-note.ts'
import { KeptFilesNotice } from '../uploads/kept/kept-files-card.tsx'
import { AuthPage } from './auth-page.tsx'
import { PageButton, PageLink } from './page-link.tsx'
import { VisitorScreen } from './screen-guards.tsx'

/**
 * The signup page (spec §2): the five fields, a button for Google, and a link to the login page. If
 * signup is closed, the page says so.
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
  const next = useNextPath()
  const openLogin = useCallback(
    (account: NewAccount) => navigate(withNext('/login', next), { state: account }),
    [navigate, next],
  )
  const { signup } = useSignInWays()
  const noEmailNote = useNoEmailNote()
  const limits = useLimits()

  if (signup === 'closed') {
    return (
      <AuthPage title="Sign-up is closed" lead="Ask the administrator for an account.">
        <KeptFilesNotice />
        <PageButton to="/login" next={next} variant="primary" size="large" wide>
          Back to Login
        </PageButton>
      </AuthPage>
    )
  }
  return (
    <AuthPage
      title="Create your account"
      lead={next === trialOfferPath ? trialSignupText(limits) : freeSignupText(limits)}
      footer={
        <>
          Have an account?{' '}
          <PageLink to="/login" next={next}>
            Sign in
          </PageLink>
        </>
      }
    >
      <KeptFilesNotice />
      <SignupForm policy={signup} noEmailNote={noEmailNote} onDone={openLogin} />
      <GoogleButton>Sign up with Google</GoogleButton>
    </AuthPage>
  )
}

/** Describes a new account's limits, and how to start the trial that the landing page offers. */
function freeSignupText({ [defaultTier]: limits }: Limits): string {
  return `${freeTierText(limits)}, for ${daysText(...limits.expirationDays)}. To try Premium free for ${trialDays} days, press Start trial on your dashboard.`
}

/**
 * Says what the trial includes and how to start it, for visitors who chose it on the landing page.
 */
function trialSignupText({ premium }: Limits): string {
  return `Premium, free for ${trialDays} days: ${limitsText(premium)}. Once you are signed in, press Start trial. Nothing is charged, and afterwards your account is Free.`
}

/** Describes a free account's limits to visitors. */
function freeTierText({ maxFiles, maxFileSize }: TierLimits): string {
  const fileLimitText = maxFiles === null ? filesText(null) : `${filesText(maxFiles)} at a time`
  return `Free: ${fileLimitText}, up to ${formatSizeLimit(maxFileSize)} each`
}
