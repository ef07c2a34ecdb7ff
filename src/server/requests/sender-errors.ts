import { type ErrorCode, errorTable } from '../../shared/contract/errors.ts'
import { AppError } from '../errors.ts'

/** What senders are told instead of errors that concern the owner's account. */
const senderErrors: Partial<Record<ErrorCode, ErrorCode>> = {
  UNAUTHORIZED: 'REQUEST_NOT_FOUND',
  LINK_NOT_FOUND: 'REQUEST_NOT_FOUND',
  TIER_FILE_COUNT: 'REQUEST_FULL',
  TIER_EXPIRATION: 'REQUEST_FULL',
  UPLOADS_UNFINISHED: 'REQUEST_FULL',
  TIER_FILE_SIZE: 'FILE_TOO_LARGE',
}

/** Replaces an error that concerns the owner's account with one that concerns the request. */
export function toSenderError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { code, message } = translate(error.body)
  const errors = error.body.errors?.map((listed) => ({ ...listed, ...translate(listed) }))
  if (code === error.code && !errors) return error
  return new AppError(code, { message, cause: error.cause, ...(errors && { errors }) })
}

function translate({ code: ownerCode, message }: { code: ErrorCode; message: string }) {
  const code = senderErrors[ownerCode]
  return code ? { code, message: errorTable[code].message } : { code: ownerCode, message }
}
