import { minuteInMs } from '../format/units.ts'

/**
 * Why a sign-in with Google failed. The server redirects the browser to a page with one of these
 * codes in the query `fault`, and the page shows its own sentence for it. So nobody can make the
 * page show another text.
 */
export const signInFaults = [
  /** Google says that access was denied, by the person or by Google itself. */
  'google-denied',
  /**
   * The server does not know this sign-in: it is too old, already used, or was started in another
   * browser.
   */
  'google-lost',
  /** Google's answer does not prove who the person is. */
  'google-refused',
  /** Google's answer has expired or has a date in the future. */
  'google-clock',
  /** Google gives no answer, or none that the server can use. */
  'google-away',
  /** Google names no email address, or an address that no account can have. */
  'google-no-address',
  /** Google has not verified the address. */
  'google-unverified',
  /**
   * The address is the administrator's. A sign-in never links the administrator's account with
   * Google, because whoever has the address at Google need not be the administrator.
   */
  'google-not-linked',
  /** No account has this address, and the server's rules do not allow signing up with it. */
  'google-no-signup',
  /** Too many sign-ins from this network. */
  'google-busy',
  /** The server itself failed, or Google does not accept the client that the operator set up. */
  'google-failed',
  /** While linking: this Google account is already linked to another account. */
  'google-taken',
  /**
   * While linking, also by a sign-in with the address of the account: the account already has
   * another Google account.
   */
  'google-second',
  /** While linking: nobody has proved to own the mail address of the account. */
  'google-unproven',
  /** While linking: the person who started it is no longer signed in. */
  'google-signed-out',
] as const

/**
 * The server counts the sign-ins of a network for this long, in milliseconds. After this time a
 * person who got 'google-busy' can sign in again.
 */
export const googleCountMs = 15 * minuteInMs

export type SignInFault = (typeof signInFaults)[number]

/** Reads the query `fault`. Returns null for anything that is not one of these codes. */
export function readSignInFault(text: string | null): SignInFault | null {
  return signInFaults.find((fault) => fault === text) ?? null
}
