/**
 * Says why the server cannot start or go on. It is printed for the operator without a stack, so the
 * message must say what to do.
 */
export class StartFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartFault'
  }
}

/** Returns the code of an error (`ENOENT`, `57P03`, `EAUTH`), or undefined when it has none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
