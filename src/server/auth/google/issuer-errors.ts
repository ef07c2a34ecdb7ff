import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import type { SignInFault } from '../../../shared/rules/accounts/sign-in-fault.ts'
import { messagesOf, SignInRefused } from './sign-in.ts'

/**
 * RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6: the errors that an issuer returns in place of
 * a code.
 */
const toldByIssuer: Readonly<Record<string, SignInFault>> = {
  access_denied: 'google-denied',
  login_required: 'google-denied',
  interaction_required: 'google-denied',
  consent_required: 'google-denied',
  account_selection_required: 'google-denied',
  temporarily_unavailable: 'google-away',
  server_error: 'google-away',
}

/**
 * RFC 6749 §5.2: the errors that an issuer returns in place of tokens. The last two are not among
 * them, but an issuer may return them here as well.
 */
const toldForCode: Readonly<Record<string, SignInFault>> = {
  invalid_grant: 'google-lost',
  invalid_client: 'google-failed',
  unauthorized_client: 'google-failed',
  temporarily_unavailable: 'google-away',
  server_error: 'google-away',
}

/**
 * The client library's own errors that do not mean a wrong answer. Some mean that no answer came or
 * that it cannot be read, the last one that the two clocks differ.
 */
const byCode: Readonly<Record<string, SignInFault>> = {
  OAUTH_TIMEOUT: 'google-away',
  OAUTH_ABORT: 'google-away',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'google-away',
  OAUTH_RESPONSE_IS_NOT_JSON: 'google-away',
  OAUTH_PARSE_ERROR: 'google-away',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'google-clock',
}

/** Returns the error that says why an answer of the issuer was not accepted. */
export function refusalOf(error: unknown): SignInRefused {
  if (error instanceof SignInRefused) return error
  return new SignInRefused(faultOf(error), messagesOf(error), { cause: error })
}

/** Tells whether the issuer could not be reached, or gave no readable answer. */
export function isAway({ fault }: SignInRefused): boolean {
  return fault === 'google-away'
}

function faultOf(error: unknown): SignInFault {
  if (error instanceof AuthorizationResponseError) {
    return toldByIssuer[error.error] ?? 'google-refused'
  }
  if (error instanceof ResponseBodyError) return toldForCode[error.error] ?? 'google-refused'
  if (error instanceof ClientError) return byCode[error.code ?? ''] ?? 'google-refused'
  // `fetch` throws this when no answer comes, and our own limits on answers throw it too.
  if (error instanceof TypeError) return 'google-away'
  return 'google-refused'
}
