import { CircleAlert } from 'lucide-react'
import { googleRateWindowMs, type SignInError } from '../../shared/rules/accounts/sign-in-error.ts'
import { durationText } from '../../shared/rules/format/numbers.ts'

/** Explains why a Google sign-in failed and what to do next. */
export function SignInErrorNote({ error }: { error: SignInError }) {
  return (
    <p role="alert" className="mb-6 flex gap-2.5 rounded-control border border-red px-3.5 py-3">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-[18px] shrink-0 text-red" />
      {signInErrorMessages[error]}
    </p>
  )
}

export const signInErrorMessages: Record<SignInError, string> = {
  'google-denied':
    'Google did not let you in, because the sign-in was cancelled. Try again, or sign in with your password.',
  'google-lost':
    'This sign-in has expired, was already used, or began in another browser. Please start again. Your browser must accept cookies of this site.',
  'google-refused':
    "Google's answer could not be verified, so you are not signed in. Please try again, and tell the operator of this server if it happens again.",
  'google-clock':
    'The clocks of Google and of this server differ too much to let you in. Sign in with your password, and tell the operator of this server.',
  'google-away':
    'Google cannot be reached right now. Try again in a minute, or sign in with your password.',
  'google-no-address':
    'Google gave no email address that an account can have. Sign up with email and password instead.',
  'google-unverified':
    'Google has not verified your email address. Verify it with Google and try again, or sign up with email and password.',
  'google-not-linked':
    'Google does not open the account with this address. Sign in with your password, then add Google on your account page.',
  'google-no-signup':
    'No account here belongs to your Google account, and you cannot sign up with its address. Ask the administrator for one.',
  'google-busy': `Too many sign-ins came from your network. Wait ${durationText(googleRateWindowMs)} and try again, or sign in with your password.`,
  'google-failed': 'Something went wrong on our side. Try again, or sign in with your password.',
  'google-taken':
    'This Google account opens another account here. Choose another Google account, or sign in with this one and remove it there first.',
  'google-second':
    'This account is linked with another Google account. Use that one, or remove it on the account page first.',
  'google-unproven':
    "The address of this account is not verified. Set a password with 'Forgot password?' on the login page, then add Google. Or choose the Google account of this address.",
  'google-signed-out': 'You were signed out before Google was added. Sign in, then add it again.',
}
