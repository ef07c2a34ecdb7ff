/**
 * Why a sign-in with Google did not end as somebody wanted. The server names one in the query
 * `fault` of the page that it leads back to, and the web has a sentence for each. The sentences
 * themselves never travel.
 */
export const signInFaults = [
  /** The person said no to Google, or Google did for him. */
  'google-denied',
  /** The sign-in is unknown here: too old, used already, or begun in another browser. */
  'google-lost',
  /** Google's answer does not prove who somebody is. */
  'google-refused',
  /** Google's answer has expired or is from the future. */
  'google-clock',
  /** Google gives no answer, or none that can be used. */
  'google-away',
  /** Google tells no email address, or none that can be an account's. */
  'google-no-address',
  /** Google does not vouch for the address. */
  'google-unverified',
  /** There is an account of this address, and it is not linked by itself. */
  'google-not-linked',
  /** An account would have to be made, and nobody can sign up with this address. */
  'google-no-signup',
  /** Too many sign-ins from this network. */
  'google-busy',
  /** The server itself failed. */
  'google-failed',
  /** To be linked: the Google account belongs to another account. */
  'google-taken',
  /** To be linked: the account has another Google account already. */
  'google-second',
  /** To be linked: nobody has proved to own the address of the account. */
  'google-unproven',
  /** To be linked: whoever began is not signed in any more. */
  'google-signed-out',
] as const

export type SignInFault = (typeof signInFaults)[number]

/** Reads the query `fault`. Anything that is no fault gives null. */
export function readSignInFault(text: string | null): SignInFault | null {
  return signInFaults.find((fault) => fault === text) ?? null
}
