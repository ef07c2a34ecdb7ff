import { anyOf } from '../format/numbers.ts'

/** The policies that hold for everybody: anybody may sign up, or nobody. */
export const policiesForAll = ['open', 'closed'] as const

/**
 * Who may sign up (setting `SIGNUP`): anybody, nobody, or people with a mail address of one of
 * these domains. The domains are in lower case.
 */
export type SignupPolicy = (typeof policiesForAll)[number] | readonly string[]

/**
 * True if somebody with this address may sign up, by the form or by another way to sign in. A
 * domain allows only its own addresses, not those of its subdomains.
 */
export function isSignupAllowed(policy: SignupPolicy, email: string): boolean {
  if (policy === 'open') return true
  if (policy === 'closed') return false
  return policy.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

/** Returns the sentence for a person whose address is refused; null if no address is refused. */
export function signupRefusal(policy: SignupPolicy): string | null {
  if (policy === 'open') return null
  if (policy === 'closed') return 'Sign-up is closed. Ask the administrator for an account.'
  return `Only addresses of ${anyOf(policy)} can sign up here.`
}
