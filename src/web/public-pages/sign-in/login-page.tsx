import { CircleAlert, CircleCheck, Mail } from 'lucide-react'
import { tokenLifetimeMs } from '../../../shared/rules/accounts/session-lifetime.ts'
import { durationText } from '../../../shared/rules/format/numbers.ts'
import { When } from '../../built-pages/template.tsx'
import { values, WhenSignupIsOpen } from '../values.tsx'
import { EmailField, PasswordField } from './fields.tsx'
import { GoogleButton, KeptFilesNote, NextLink, NoEmailNote, SignInCard } from './sign-in-card.tsx'

/**
 * The login page (spec §2): email and password, a button for Google, and a link to the signup page.
 * `sign-in-script.ts` shows what is hidden here when it applies.
 */
export function LoginPage() {
  return (
    <>
      <SignInCard
        title="Sign in"
        action="Signing in"
        lead={
          <>
            <When is="signupClosed">To get to your files and links.</When>
            {/* 'Get Started' on the landing page leads here even without an account. */}
            <WhenSignupIsOpen>
              No account yet? <NextLink href="/signup">Sign up</NextLink>: it is free.
            </WhenSignupIsOpen>
          </>
        }
      >
        {/* Why a sign-in with Google failed. */}
        <p className="note error" role="alert" data-text={values.error}>
          <CircleAlert size={18} aria-hidden="true" />
          {values.error}
        </p>
        <NewAccountNotes />
        <KeptFilesNote />
        <form id="login" method="post" noValidate>
          <EmailField id="email" label="Email" />
          <PasswordField
            id="password"
            label="Password"
            name="password"
            autoComplete="current-password"
          />
          <UnverifiedNote />
          {/* Disabled until the script sends the form, so that no password is sent without it. */}
          <button className="button primary large wide" type="submit" disabled>
            Sign In
          </button>
        </form>
        <button className="button quiet wide" type="button" id="forgot">
          Forgot password?
        </button>
        <GoogleButton>Sign in with Google</GoogleButton>
      </SignInCard>
      {/* The script inserts the dialog, so that the page has one email field until it opens. */}
      <template id="forgot-template">
        <ForgotPasswordDialog />
      </template>
    </>
  )
}

/** After a signup, one of these says what to do next. Unlike the toast, it doesn't disappear. */
function NewAccountNotes() {
  return (
    <>
      <p className="note" role="status" id="account-ready" hidden>
        <CircleCheck size={18} aria-hidden="true" />
        Your account is ready. Sign in with the password that you have just chosen.
      </p>
      <p className="note" role="status" id="account-unverified" hidden>
        <Mail size={18} aria-hidden="true" />
        <span>
          <When is="smtp">
            We sent an email to <span data-email="" />.
          </When>
          <NoEmailNote /> Open the link within {durationText(tokenLifetimeMs['verify-email'])}, then
          sign in here. Wrong address? <NextLink href="/signup">Sign up again</NextLink>.
        </span>
      </p>
    </>
  )
}

/** Offers to resend the verification email after a login of an unverified address failed. */
function UnverifiedNote() {
  return (
    <div className="unverified" id="unverified" hidden>
      <h2>Your email address is not verified yet</h2>
      <p className="small muted">
        <When is="smtp">
          Open the link in the email that we sent to <span data-email="" />.
        </When>
        <When is="outbox">
          Open the link in the email to <span data-email="" />.{' '}
        </When>
        <NoEmailNote />
      </p>
      <button className="button" type="button" id="resend">
        Send the email again
      </button>
    </div>
  )
}

/** The dialog that requests a password reset email (spec §2). */
function ForgotPasswordDialog() {
  return (
    <dialog id="forgot-dialog" aria-labelledby="forgot-title" aria-describedby="forgot-text">
      <div className="card">
        <h2 id="forgot-title">Reset your password</h2>
        <p className="muted" id="forgot-text">
          <When is="smtp">We email you a link to set a new password.</When>
          <When is="outbox">Request a link to set a new password. </When>
          <NoEmailNote />
        </p>
        <form id="forgot-form" method="dialog" noValidate>
          <EmailField id="forgot-email" label="Email address" />
          <div className="buttons">
            <button className="button" type="button" id="forgot-cancel">
              Cancel
            </button>
            <button className="button primary" type="submit">
              Send Reset Email
            </button>
          </div>
        </form>
      </div>
    </dialog>
  )
}
