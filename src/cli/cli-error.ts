import type { CallError, Outcome } from '../web/uploads/upload-errors.ts'

/** The exit codes that scripts can rely on (docs/cli.md). */
export const exitCodes = {
  failed: 1,
  usage: 2,
  forbidden: 3,
  notFound: 4,
  unreachable: 5,
} as const

/** An error that ends the program. The message is printed and never contains the key. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Returns what to print for a failed call. */
export function callErrorMessage({ status, code, message }: CallError): string {
  if (status === null) return 'The server could not be reached.'
  if (code === 'UNAUTHORIZED') return 'The key is missing or not valid.'
  return message ?? `The server answered with status ${status}.`
}

export function exitCodeOf({ status }: Pick<CallError, 'status'>): number {
  if (status === null) return exitCodes.unreachable
  if (status === 401 || status === 403) return exitCodes.forbidden
  return status === 404 ? exitCodes.notFound : exitCodes.failed
}

/**
 * Returns the value of a call.
 * @throws {CliError} if the call failed.
 */
export function unwrap<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value
  throw new CliError(callErrorMessage(outcome.error), exitCodeOf(outcome.error))
}
