import { anyOf } from './any-of.ts'

/**
 * Who may make an account for himself (setting `SIGNUP`): anybody, nobody, or people with an
 * address of one of these domains, in lower case.
 */
export type SignupPolicy = 'open' | 'closed' | readonly string[]

/**
 * Whether an account may be made for this address, by a form or by another way to sign in. A domain
 * allows exactly its own addresses and none of its subdomains.
 */
export function isSignupAllowed(policy: SignupPolicy, email: string): boolean {
  if (policy === 'open') return true
  if (policy === 'closed') return false
  return policy.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

/** Returns the sentence for a person whose address is refused; null where none is. */
export function signupRefusal(policy: SignupPolicy): string | null {
  if (policy === 'open') return null
  if (policy === 'closed') return 'Signing up is closed. The administrator makes the accounts here.'
  return `Only addresses of ${anyOf(policy)} can sign up here.`
}
