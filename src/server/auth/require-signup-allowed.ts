import {
  isSignupAllowed,
  type SignupPolicy,
  signupRefusal,
} from '../../shared/rules/accounts/signup-policy.ts'
import { AppError } from '../errors.ts'

/**
 * Throws unless the settings allow people to sign up with this address. A signup calls this, and
 * calls it again when its address is verified.
 * @throws {AppError} SIGNUP_NOT_ALLOWED, with a sentence that says who may sign up.
 */
export function requireSignupAllowed(policy: SignupPolicy, email: string): void {
  if (isSignupAllowed(policy, email)) return
  const message = signupRefusal(policy)
  throw new AppError('SIGNUP_NOT_ALLOWED', message === null ? {} : { message })
}
