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
