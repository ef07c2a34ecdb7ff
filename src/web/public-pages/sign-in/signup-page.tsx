import { passwordHint } from '../../../shared/rules/accounts/password.ts'
import { trialDays } from '../../../shared/rules/tiers/trial.ts'
import { When } from '../../built-pages/template.tsx'
import { values } from '../values.tsx'
import { EmailField, PasswordField, TextField } from './fields.tsx'
import { GoogleButton, KeptFilesNote, NextLink, SignInCard } from './sign-in-card.tsx'

/**
 * The signup page (spec §2): the five fields, a button for Google, and a link to the login page.
 * @param forTrial true for visitors who chose the trial on the landing page.
 */
export function SignupPage({ forTrial = false }: { forTrial?: boolean }) {
  return (
    <SignInCard
      title="Create your account"
      action="Signing up"
      lead={
        forTrial
          ? `Premium, free for ${trialDays} days: ${values.premiumLimits}. Once you are signed in, press Start trial. Nothing is charged, and afterwards your account is Free.`
          : `Free: ${values.freeFilesAtOnce}, up to ${values.freeFileSize} each, for ${values.freeDays}. To try Premium free for ${trialDays} days, press Start trial on your dashboard.`
      }
      footer={
        <>
          Have an account? <NextLink href="/login">Sign in</NextLink>
        </>
      }
    >
      <KeptFilesNote />
      <form id="signup" method="post" noValidate>
        <div className="names">
          <TextField
            id="first-name"
            label="First name"
            name="firstName"
            autoComplete="given-name"
          />
          <TextField id="last-name" label="Last name" name="lastName" autoComplete="family-name" />
        </div>
        <EmailField
          id="email"
          label="Email"
          hint={
            <When is="signupDomains">
              Only addresses of {values.signupDomains} can sign up here.
            </When>
          }
        />
        <PasswordField
          id="password"
          label="Password"
          name="password"
          autoComplete="new-password"
          hint={passwordHint}
        />
        <PasswordField
          id="confirm-password"
          label="Confirm password"
          name="confirmPassword"
          autoComplete="new-password"
        />
        {/* Disabled until the script sends the form, so that no password is sent without it. */}
        <button className="button primary large wide" type="submit" disabled>
          Sign Up
        </button>
      </form>
      <GoogleButton>Sign up with Google</GoogleButton>
    </SignInCard>
  )
}

/** Takes the place of the signup page if nobody can sign up. */
export function SignupClosedPage() {
  return (
    <SignInCard title="Signup is closed" lead="Ask the administrator for an account.">
      <KeptFilesNote />
      <a className="button primary large wide" href="/login" data-next="">
        Back to Login
      </a>
    </SignInCard>
  )
}
