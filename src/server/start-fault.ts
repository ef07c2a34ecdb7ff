/**
 * Says why the server, or a command such as `npm run backup`, cannot start or go on. It is printed
 * for the operator without a stack. So the message must say what is wrong and, if possible, what to
 * do.
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
