import type { Outcome } from '../web/uploads/upload-errors.ts'

/** The exit codes that scripts can rely on (docs/cli.md). */
export const exitCodes = { failed: 1, usage: 2, forbidden: 3, notFound: 4, unreachable: 5 }

const codesByStatus: Record<number, number> = {
  401: exitCodes.forbidden,
  403: exitCodes.forbidden,
  404: exitCodes.notFound,
}

/** An error that ends the program. The message is printed and never contains the key. */
export class CliError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/**
 * Returns the value of a call.
 * @throws {CliError} if the call failed.
 */
export function unwrap<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value
  const { status, code, message } = outcome.error
  if (status === null)
    throw new CliError(`The server can't be reached: ${message}.`, exitCodes.unreachable)
  // The server's messages name the API's fields.
  const text = (message ?? '').replace(/[a-z]+Days/, '--days').replace(/max[A-Z]\w+/, '--limit')
  throw new CliError(text, code === 'INVALID_INPUT' ? exitCodes.usage : codesByStatus[status])
}
