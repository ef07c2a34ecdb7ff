import {
  isSignupAllowed,
  type SignupPolicy,
  signupRefusal,
} from '../../shared/rules/signup-policy.ts'
import { AppError } from '../errors.ts'

/**
 * Throws unless the settings allow an account for this address. Every way to make an account calls
 * this first.
 * @throws {AppError} SIGNUP_NOT_ALLOWED, with a sentence that says who may sign up.
 */
export function requireSignupAllowed(policy: SignupPolicy, email: string): void {
  if (isSignupAllowed(policy, email)) return
  const message = signupRefusal(policy)
  throw new AppError('SIGNUP_NOT_ALLOWED', message === null ? {} : { message })
}
