import type { SignInFault } from '../../../shared/rules/accounts/sign-in-fault.ts'

/** A sign-in with Google was refused. The browser is sent to the page that says why. */
export class SignInRefused extends Error {
  readonly fault: SignInFault

  /** @param reason says more to the operator. It is written to the log and goes nowhere else. */
  constructor(fault: SignInFault, reason?: string, options?: ErrorOptions) {
    super(reason ?? fault, options)
    this.name = 'SignInRefused'
    this.fault = fault
  }
}

/** Joins the messages of an error and of its causes. None of them contains a token or a code. */
export function messagesOf(error: unknown): string {
  const messages: string[] = []
  for (let fault = error; fault instanceof Error; fault = fault.cause) messages.push(fault.message)
  return messages.join(': ')
}
