import { type ErrorBody, type ErrorCode, errorTable } from '../shared/contract/errors.ts'
import { limitErrorText, unknownDaysText } from '../shared/contract/tier-errors.ts'
import type { Tier } from '../shared/rules/tiers/tier.ts'
import type { Limits, UploadRefusal } from '../shared/rules/tiers/tier-limits.ts'

/**
 * An error that a client sees. Its status, code and text come from the table of errors in
 * `src/shared/contract/errors.ts`.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>
  /** False for a 5xx that is no fault of the server, so that it is not logged as one. */
  readonly isLogged: boolean

  /**
   * @param message replaces the table's text where a more precise sentence helps. Clients see it.
   * @param headers are added to the answer, with their names in lower case. A 503 gets the
   * `retry-after` of the table unless `headers` contains one.
   */
  constructor(
    code: ErrorCode,
    options: {
      message?: string
      headers?: Record<string, string>
      cause?: unknown
      isLogged?: boolean
    } = {},
  ) {
    super(options.message ?? errorTable[code].message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.headers = { ...retryAfter(code), ...options.headers }
    this.isLogged = options.isLogged ?? true
  }

  get status() {
    return errorTable[this.code].status
  }

  /**
   * Returns the headers of the answer with this error. `method` is the method of the request. An
   * answer to HEAD cannot have a body, so the code of the error is in a header of it.
   */
  headersFor(method: string | undefined): Record<string, string> {
    return { ...this.headers, ...(method === 'HEAD' && { 'x-error-code': this.code }) }
  }

  get body(): ErrorBody {
    return { message: this.message, code: this.code }
  }
}

/**
 * Returns the headers that belong to an error. If the table of errors says after how many seconds
 * the client may ask again, this is `Retry-After` with that number. Other errors have no headers.
 */
function retryAfter(code: ErrorCode): Record<string, string> {
  const row = errorTable[code]
  return 'retrySeconds' in row ? { 'retry-after': String(row.retrySeconds) } : {}
}

/** Returns the error for a limit that a user has reached. Its text contains the current limits. */
export function limitError(code: UploadRefusal, tier: Tier, limits: Limits): AppError {
  switch (code) {
    case 'FILE_TOO_LARGE':
      return new AppError(code)
    case 'INVALID_INPUT':
      return new AppError(code, { message: unknownDaysText(limits) })
    default:
      return new AppError(code, { message: limitErrorText(tier, code, limits) })
  }
}

/**
 * Says why the server, or a command such as `npm run backup`, cannot start or go on. It is printed
 * for the operator without a stack. So the message must say what is wrong and, if possible, what to
 * do.
 */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartupError'
  }
}

/** Returns the code of an error (`ENOENT`, `57P03`, `EAUTH`), or undefined when it has none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
