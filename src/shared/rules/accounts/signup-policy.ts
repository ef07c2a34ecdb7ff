import { joinWithOr } from '../format/numbers.ts'

/** Policies that don't depend on the email address. */
export const fixedPolicies = ['open', 'closed'] as const

/**
 * Who may sign up (setting `SIGNUP`): anyone, nobody, or only people with an email address in one
 * of the listed domains. The domains are in lower case.
 */
export type SignupPolicy = (typeof fixedPolicies)[number] | readonly string[]

/**
 * True if this email address may sign up, with any sign-in method. If the policy lists a domain,
 * its subdomains aren't included.
 */
export function isSignupAllowed(policy: SignupPolicy, email: string): boolean {
  if (policy === 'open') return true
  if (policy === 'closed') return false
  return policy.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

/** Explains the policy to a visitor who may not sign up. Null if anyone may. */
export function signupDeniedText(policy: SignupPolicy): string | null {
  if (policy === 'open') return null
  if (policy === 'closed') return 'Signup is closed. Ask the administrator for an account.'
  return `Only addresses of ${joinWithOr(policy)} can sign up here.`
}
