import {
  type ErrorBody,
  type ErrorCode,
  errorTable,
  type ListedError,
} from '../shared/contract/errors.ts'
import { limitErrorText, unknownDaysText } from '../shared/contract/tier-errors.ts'
import type { Tier } from '../shared/rules/tiers/tier.ts'
import type { Limits, UploadLimitError } from '../shared/rules/tiers/tier-limits.ts'

/** An error that clients see, from the table in `src/shared/contract/errors.ts`. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>
  /** False for an expected 5xx, such as one during shutdown. */
  readonly isLogged: boolean
  readonly status: (typeof errorTable)[ErrorCode]['status']
  readonly #errors: readonly ListedError[] | undefined

  /**
   * @param message replaces the table's text. Clients see it.
   * @param headers the response headers, with names in lowercase. `retry-after` defaults to the
   * table's value.
   * @param status replaces the table's status.
   * @param errors the errors of the entries of a list that was refused as a whole.
   */
  constructor(
    code: ErrorCode,
    options: {
      message?: string
      headers?: Record<string, string>
      cause?: unknown
      isLogged?: boolean
      status?: AppError['status']
      errors?: readonly ListedError[]
    } = {},
  ) {
    super(options.message ?? errorTable[code].message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.headers = { ...createRetryHeaders(code), ...options.headers }
    this.isLogged = options.isLogged ?? true
    this.status = options.status ?? errorTable[code].status
    this.#errors = options.errors
  }

  /**
   * Returns the response headers. A response to HEAD has no body, so it has the error code in a
   * header.
   */
  headersFor(method: string | undefined): Record<string, string> {
    return { ...this.headers, ...(method === 'HEAD' && { 'x-error-code': this.code }) }
  }

  get body(): ErrorBody {
    return { message: this.message, code: this.code, ...(this.#errors && { errors: this.#errors }) }
  }
}

function createRetryHeaders(code: ErrorCode): Record<string, string> {
  const row = errorTable[code]
  return 'retrySeconds' in row ? { 'retry-after': String(row.retrySeconds) } : {}
}

/** Creates the error for exceeding a tier's limit, with the current limits in the message. */
export function limitError(code: UploadLimitError, tier: Tier, limits: Limits): AppError {
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
 * An error that prevents the server, or a command such as `npm run backup`, from starting. Printed
 * without a stack, so the message names the cause and the remedy.
 */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartupError'
  }
}

/** Returns an error's code (such as `ENOENT`, `57P03` or `EAUTH`), or undefined. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
