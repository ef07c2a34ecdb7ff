import type { SignInFault } from '../../../shared/rules/sign-in-fault.ts'

/** Ends a sign-in with Google. The browser is led to the page that says why. */
export class SignInRefused extends Error {
  readonly fault: SignInFault

  /** @param reason says more to the operator. It stands in the log and goes nowhere else. */
  constructor(fault: SignInFault, reason?: string, options?: ErrorOptions) {
    super(reason ?? fault, options)
    this.name = 'SignInRefused'
    this.fault = fault
  }
}
