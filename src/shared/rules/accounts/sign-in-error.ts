import { durationText } from '../format/numbers.ts'
import { minuteInMs } from '../format/units.ts'

/**
 * Why a sign-in with Google failed. The server redirects to a page with one of these codes in the
 * query parameter `fault`. The page has a message for each code, so a forged URL can't inject text.
 */
export const signInErrors = [
  /** The user or Google denied access. */
  'google-denied',
  /**
   * The sign-in attempt wasn't found: it expired, was already used, or was started in another
   * browser.
   */
  'google-lost',
  /** Google's response doesn't prove the user's identity. */
  'google-refused',
  /** Google's response has expired or is dated in the future. */
  'google-clock',
  /** Google doesn't respond, or its response is unusable. */
  'google-away',
  /** Google sent no email address, or one that accounts can't have. */
  'google-no-address',
  /** Google has not verified the email address. */
  'google-unverified',
  /**
   * The email address is the administrator's. Signing in never links that account to Google,
   * because someone else may control the address at Google.
   */
  'google-not-linked',
  /** No account has this email address, and the signup policy doesn't allow creating one. */
  'google-no-signup',
  /** Too many Google sign-ins from this network. */
  'google-busy',
  /**
   * An internal error occurred, or Google rejected the OAuth client that the operator configured.
   */
  'google-failed',
  /** While linking: this Google account is already linked to another account. */
  'google-taken',
  /**
   * The account is already linked to a different Google account. This can happen while linking, or
   * when signing in with a Google account that has the same email address.
   */
  'google-second',
  /** While linking: neither the account nor Google has verified the account's email address. */
  'google-unproven',
  /** While linking: the user who started it has signed out. */
  'google-signed-out',
] as const

/**
 * Rate limit window for Google sign-ins from the same network, in milliseconds. After
 * 'google-busy', signing in works again once this time has passed.
 */
export const googleRateWindowMs = 15 * minuteInMs

export type SignInError = (typeof signInErrors)[number]

/** Parses the query parameter `fault`. Returns null for unknown codes. */
export function parseSignInError(text: string | null): SignInError | null {
  return signInErrors.find((code) => code === text) ?? null
}

/** Why a sign-in failed and what to do next, as shown to the user. */
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
    'The account with this address is not linked to Google. Sign in with your password, then add Google on your account page.',
  'google-no-signup':
    'No account here belongs to your Google account, and you cannot sign up with its address. Ask the administrator for one.',
  'google-busy': `Too many sign-ins came from your network. Wait ${durationText(googleRateWindowMs)} and try again, or sign in with your password.`,
  'google-failed': 'Something went wrong on our side. Try again, or sign in with your password.',
  'google-taken':
    'This Google account is already linked to another account. Choose another Google account, or sign in with this one and remove it there first.',
  'google-second':
    'This account is linked with another Google account. Use that one, or remove it on the account page first.',
  'google-unproven':
    "The address of this account is not verified. Set a password with 'Forgot password?' on the login page, then add Google. Or choose the Google account of this address.",
  'google-signed-out': 'You were signed out before Google was added. Sign in, then add it again.',
}
