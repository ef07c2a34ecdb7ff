import { maxKeysPerUser } from '../rules/accounts/api-key.ts'
import { defaultTier } from '../rules/tiers/tier.ts'
import { defaultLimits } from '../rules/tiers/tier-limits.ts'
import { limitErrorText, tierErrorText } from './tier-errors.ts'

/** The HTTP status of every error that isn't a 503. */
type OtherStatus = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 416 | 421 | 429 | 500 | 507

/**
 * An API error. `retrySeconds` is the default `Retry-After` of a 503. A 507 has no such header,
 * because the server can't tell when there will be free space.
 */
type ErrorRow =
  | { status: 503; retrySeconds: number; message: string }
  | { status: OtherStatus; retrySeconds?: never; message: string }

/**
 * Every error that the HTTP API returns, with its code, status and public message. The server may
 * send a more specific message, but never internal details. Messages about tier limits mention the
 * default limits; `limitErrorText` returns messages with the current ones.
 */
export const errorTable = {
  INVALID_INPUT: { status: 400, message: 'The request is not valid.' },
  PART_NOT_FOUND: { status: 400, message: 'partNumbers: The file has no such part.' },
  UPLOAD_INCOMPLETE: { status: 400, message: 'The upload is not complete yet.' },
  WRONG_PASSWORD: { status: 400, message: 'The current password is incorrect.' },
  TOKEN_INVALID: { status: 400, message: 'This link is invalid or has expired.' },
  LOGO_UNREADABLE: {
    status: 400,
    message: 'This image cannot be read. Use a PNG, JPEG or WebP.',
  },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  LINK_LOCKED: { status: 401, message: 'This link needs a password.' },
  INVALID_CREDENTIALS: {
    status: 401,
    message: 'Invalid email or password. Please try again.',
  },
  FORBIDDEN: { status: 403, message: 'You are not allowed to do this.' },
  KEY_SCOPE: { status: 403, message: 'This API key may not do this.' },
  FOREIGN_ORIGIN: {
    status: 403,
    message: 'Requests from other sites are refused.',
  },
  DOWNLOAD_ONLY: {
    status: 403,
    message: 'Files can be downloaded, but not embedded in pages.',
  },
  EMAIL_NOT_VERIFIED: { status: 403, message: 'Please verify your email address first.' },
  SIGN_IN_AGAIN: { status: 403, message: 'Please sign in with Google again to confirm this.' },
  SIGNUP_NOT_ALLOWED: { status: 403, message: 'This email address cannot sign up here.' },
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
  TIER_REQUESTS: {
    status: 403,
    message: tierErrorText(defaultTier, 'TIER_REQUESTS'),
  },
  TIER_REQUEST_COUNT: {
    status: 403,
    message: tierErrorText(defaultTier, 'TIER_REQUEST_COUNT'),
  },
  REQUESTS_OFF: { status: 403, message: 'Requests are turned off on this server.' },
  TIER_SEND_BY_EMAIL: {
    status: 403,
    message: tierErrorText(defaultTier, 'TIER_SEND_BY_EMAIL'),
  },
  SENDING_OFF: { status: 403, message: 'This server does not send links by email.' },
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
  KEY_NOT_FOUND: { status: 404, message: 'API key not found' },
  LINK_NOT_FOUND: { status: 404, message: 'File not found or expired' },
  REQUEST_NOT_FOUND: { status: 404, message: 'Request not found or closed' },
  FEEDBACK_NOT_FOUND: { status: 404, message: 'This feedback has already been deleted.' },
  REPORT_NOT_FOUND: { status: 404, message: 'This report is not open.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method not allowed' },
  FILE_GONE: {
    status: 409,
    message: 'This file was deleted and cannot be renewed.',
  },
  DOWNLOADS_USED_UP: {
    status: 409,
    message: 'This link has no downloads left. Raise its download limit first.',
  },
  REQUEST_CLOSED: { status: 409, message: 'This request is closed.' },
  REQUEST_FULL: {
    status: 409,
    message: 'This request cannot take these files right now.',
  },
  DELIVERY_UNFINISHED: {
    status: 409,
    message: 'Files are still arriving. Share the link once all have arrived.',
  },
  LINK_NOT_SHARED: { status: 409, message: 'Only you can open this link. Share it first.' },
  KEY_COUNT: {
    status: 409,
    message: `You have ${maxKeysPerUser} API keys. Revoke one first.`,
  },
  NO_PASSWORD: {
    status: 409,
    message: 'This account has no password yet. Set one by email first.',
  },
  LAST_WAY_IN: {
    status: 409,
    message:
      'This is the only way to sign in to this account. Set a password first, with ' +
      "'Forgot password?' on the login page.",
  },
  ADMIN_STAYS: { status: 409, message: 'The administrator cannot be deleted.' },
  EMAIL_TAKEN: { status: 409, message: 'An account with this email already exists.' },
  TRIAL_USED: { status: 409, message: 'This account has already used its free trial.' },
  ALREADY_PREMIUM: { status: 409, message: 'This account is already Premium.' },
  UPLOAD_SEALED: {
    status: 409,
    message: 'This upload is already complete.',
  },
  UPLOADS_UNFINISHED: {
    status: 409,
    message: 'You have too many unfinished uploads. Finish or cancel some, then try again.',
  },
  UPLOAD_SUPERSEDED: {
    status: 409,
    message: 'A newer request has taken over this upload.',
  },
  SIZE_MISMATCH: {
    status: 409,
    message: 'The stored file differs in size from what was announced. Please upload it again.',
  },
  CHECKSUM_MISMATCH: {
    status: 409,
    message: 'The checksum does not match. Please send it again.',
  },
  CONTENT_BLOCKED: {
    status: 409,
    message: 'This file was taken down and cannot be shared here again.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The file is not the requested version.',
  },
  FILE_TOO_LARGE: { status: 413, message: 'The file is too large.' },
  TIER_FILE_SIZE: {
    status: 413,
    message: limitErrorText(defaultTier, 'TIER_FILE_SIZE', defaultLimits),
  },
  BODY_TOO_LARGE: { status: 413, message: 'The request is too large.' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The range is outside the file.' },
  OFFSET_MISMATCH: {
    status: 416,
    message: 'The upload continues at a different offset: see Upload-Offset.',
  },
  HOST_NOT_SERVED: { status: 421, message: 'This server does not serve this host.' },
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
    // About how long it takes to work through a full queue of password hashes on a slow core.
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
    // The same five seconds that a request waits for a database connection before it fails with
    // this error.
    retrySeconds: 5,
    message: 'The server is busy. Please try again in a few seconds.',
  },
  TOO_MANY_TRANSFERS: {
    status: 503,
    retrySeconds: 10,
    message: 'Too many transfers are running. Please try again shortly.',
  },
  STILL_UPLOADING: {
    status: 503,
    retrySeconds: 10,
    message: 'This file is still being uploaded. Please try again shortly.',
  },
  DISK_FULL: {
    status: 503,
    // By then, the purge may have freed some space, because it runs every minute.
    retrySeconds: 60,
    message: 'The disk of this server is full. Please try again later.',
  },
  UNAVAILABLE: {
    status: 503,
    // Postgres or storage may be restarting, which often takes only seconds.
    retrySeconds: 5,
    message: 'The service is unavailable. Please try again shortly.',
  },
  STORAGE_FULL: {
    status: 507,
    message: 'This server has too little free space for this file. Please try again later.',
  },
  STORAGE_CAP_REACHED: {
    status: 507,
    message: 'The file would exceed the storage cap of this server. Please try again later.',
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

/** Why an entry of a list was refused. Indexes start at 0. */
export interface ListedError {
  index: number
  code: ErrorCode
  message: string
}

/** The body of every error response. */
export interface ErrorBody {
  message: string
  code: ErrorCode
  /** Set if a list was refused as a whole. */
  errors?: readonly ListedError[]
}
