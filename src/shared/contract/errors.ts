import { defaultTier } from '../rules/tiers/tier.ts'
import { defaultLimits } from '../rules/tiers/tier-limits.ts'
import { limitErrorText, tierErrorText } from './tier-errors.ts'

/** Every HTTP status that an error can have, except 503. */
type OtherStatus = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 416 | 421 | 429 | 500 | 507

/**
 * One error. A 503 says in `retrySeconds` after how many seconds a client may try again. The answer
 * sends this number as `Retry-After`, unless the code that throws the error gives another one. A
 * 507 has no such number, because it lasts until somebody has freed space.
 */
type ErrorRow =
  | { status: 503; retrySeconds: number; message: string }
  | { status: OtherStatus; retrySeconds?: never; message: string }

/**
 * Every error that the HTTP interface can answer with: its code, its status and its public text.
 * People read the text. The server may replace it with a more precise sentence, but never with
 * anything internal. The texts in this table name the default limits. For errors about a limit of
 * the user's tier, `limitErrorText` writes the text with the current limits.
 */
export const errorTable = {
  INVALID_INPUT: { status: 400, message: 'The request is not valid.' },
  PART_NOT_FOUND: { status: 400, message: 'partNumbers: The file has no such part.' },
  UPLOAD_INCOMPLETE: { status: 400, message: 'The file has not been uploaded completely yet.' },
  WRONG_PASSWORD: { status: 400, message: 'The current password is not right.' },
  TOKEN_INVALID: { status: 400, message: 'This link is invalid or has expired.' },
  LOGO_UNREADABLE: {
    status: 400,
    message: 'This picture cannot be read. Take a PNG, a JPEG or a WebP.',
  },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  INVALID_CREDENTIALS: {
    status: 401,
    message: 'Invalid email or password. Please try again.',
  },
  FORBIDDEN: { status: 403, message: 'You may not do this.' },
  FOREIGN_ORIGIN: {
    status: 403,
    message: 'This request comes from another site and was refused.',
  },
  DOWNLOAD_ONLY: {
    status: 403,
    message: 'A file can be downloaded here, but no page can run or embed it.',
  },
  EMAIL_NOT_VERIFIED: { status: 403, message: 'Please verify your email address first.' },
  SIGNUP_NOT_ALLOWED: { status: 403, message: 'Nobody can sign up with this address here.' },
  TIER_FILE_COUNT: {
    status: 403,
    message: limitErrorText(defaultTier, 'TIER_FILE_COUNT', defaultLimits),
  },
  TIER_EXPIRATION: {
    status: 403,
    message: limitErrorText(defaultTier, 'TIER_EXPIRATION', defaultLimits),
  },
  TIER_RENEWAL: {
    status: 403,
    message: tierErrorText(defaultTier, 'TIER_RENEWAL'),
  },
  TIER_FILE_MANAGER: {
    status: 403,
    message: tierErrorText(defaultTier, 'TIER_FILE_MANAGER'),
  },
  TIER_BRANDING: {
    status: 403,
    message: tierErrorText(defaultTier, 'TIER_BRANDING'),
  },
  TIER_ANALYTICS: {
    status: 403,
    message: tierErrorText(defaultTier, 'TIER_ANALYTICS'),
  },
  SIGNATURE_INVALID: {
    status: 403,
    message: 'This presigned URL is not valid for this request.',
  },
  SIGNATURE_EXPIRED: { status: 403, message: 'This presigned URL has expired.' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  FILE_NOT_FOUND: { status: 404, message: 'File not found' },
  USER_NOT_FOUND: { status: 404, message: 'User not found' },
  UPLOAD_NOT_FOUND: { status: 404, message: 'Upload not found' },
  SESSION_NOT_FOUND: { status: 404, message: 'Session not found' },
  LINK_NOT_FOUND: { status: 404, message: 'File not found or expired' },
  FEEDBACK_NOT_FOUND: { status: 404, message: 'This feedback was deleted already.' },
  REPORT_NOT_FOUND: { status: 404, message: 'This report is not open.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take that method.' },
  FILE_GONE: {
    status: 409,
    message: 'This file is gone, so its link cannot be renewed.',
  },
  NO_PASSWORD: {
    status: 409,
    message: 'This account has no password yet. An email lets you set one.',
  },
  LAST_WAY_IN: {
    status: 409,
    message:
      'This is the only way to sign in to this account. Set a password first: ask for one by ' +
      "'Forgot password?' on the login page.",
  },
  ADMIN_STAYS: { status: 409, message: 'The administrator cannot be deleted.' },
  EMAIL_TAKEN: { status: 409, message: 'An account with this email already exists.' },
  TRIAL_USED: { status: 409, message: 'This account has had its free trial already.' },
  ALREADY_PREMIUM: { status: 409, message: 'This account is Premium already.' },
  UPLOAD_SEALED: {
    status: 409,
    message: 'This upload is already complete and takes no more bytes.',
  },
  UPLOADS_UNFINISHED: {
    status: 409,
    message: 'Too many uploads of yours are unfinished. Finish or cancel some, then try again.',
  },
  UPLOAD_SUPERSEDED: {
    status: 409,
    message: 'A newer request has taken over this upload.',
  },
  SIZE_MISMATCH: {
    status: 409,
    message: 'What was stored differs from what was announced. Please upload the file again.',
  },
  CHECKSUM_MISMATCH: {
    status: 409,
    message: 'What arrived differs from what was sent. Please send it again.',
  },
  CONTENT_BLOCKED: {
    status: 409,
    message: 'This file was taken down and cannot be shared here again.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The file is not the version that was asked for.',
  },
  FILE_TOO_LARGE: { status: 413, message: 'The file is too large.' },
  TIER_FILE_SIZE: {
    status: 413,
    message: limitErrorText(defaultTier, 'TIER_FILE_SIZE', defaultLimits),
  },
  BODY_TOO_LARGE: { status: 413, message: 'The request is too large.' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The range lies outside the file.' },
  OFFSET_MISMATCH: {
    status: 416,
    message: 'The upload continues at another offset: see Upload-Offset.',
  },
  HOST_NOT_SERVED: { status: 421, message: 'There is no site of this name here.' },
  TOO_MANY_REQUESTS: {
    status: 429,
    message: 'Too many attempts. Please wait a moment and try again.',
  },
  INTERNAL: {
    status: 500,
    message: 'Something went wrong on our side.',
  },
  PASSWORDS_BUSY: {
    status: 503,
    // A slow core needs about five seconds for all password hashes of a full queue.
    retrySeconds: 5,
    message: 'Many people are signing in right now. Please try again in a few seconds.',
  },
  LOGOS_BUSY: {
    status: 503,
    retrySeconds: 5,
    message: 'Many logos are being saved right now. Please try again in a few seconds.',
  },
  SERVER_BUSY: {
    status: 503,
    // A request waits at most five seconds for a database connection. So after this time, none of
    // the requests that wait now is still waiting.
    retrySeconds: 5,
    message: 'This server has too much to do right now. Please try again in a few seconds.',
  },
  TOO_MANY_TRANSFERS: {
    status: 503,
    retrySeconds: 10,
    message: 'Too many files are on their way right now. Please try again shortly.',
  },
  DISK_FULL: {
    status: 503,
    // Every minute a job removes the bytes of files whose links have ended, so there may be space
    // then.
    retrySeconds: 60,
    message:
      'The disk of this server is full. Its operator has to make room. Please try again later.',
  },
  UNAVAILABLE: {
    status: 503,
    // A Postgres or a storage that restarts can usually be used again after this time.
    retrySeconds: 5,
    message: 'The service cannot be reached right now. Please try again shortly.',
  },
  STORAGE_FULL: {
    status: 507,
    message:
      'This server has too little free space for this file. Its operator has to make ' +
      'room. Please try again later.',
  },
  STORAGE_CAP_REACHED: {
    status: 507,
    message:
      'The storage cap of this server leaves no space for this file. Its operator has to make ' +
      'room. Please try again later.',
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

/** The body of every error answer. */
export interface ErrorBody {
  message: string
  code: ErrorCode
}
