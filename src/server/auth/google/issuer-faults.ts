import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import type { SignInFault } from '../../../shared/rules/sign-in-fault.ts'
import { SignInRefused } from './refusal.ts'

/** RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6: what an issuer tells instead of a code. */
const toldByIssuer: Readonly<Record<string, SignInFault>> = {
  access_denied: 'google-denied',
  login_required: 'google-denied',
  interaction_required: 'google-denied',
  consent_required: 'google-denied',
  account_selection_required: 'google-denied',
  temporarily_unavailable: 'google-away',
  server_error: 'google-away',
}

/** RFC 6749 §5.2: what it tells instead of tokens. */
const toldForCode: Readonly<Record<string, SignInFault>> = {
  invalid_grant: 'google-lost',
  invalid_client: 'google-failed',
  unauthorized_client: 'google-failed',
  temporarily_unavailable: 'google-away',
  server_error: 'google-away',
}

/** The codes of the client's own errors that are not a wrong answer but none, or no fitting moment. */
const byCode: Readonly<Record<string, SignInFault>> = {
  OAUTH_TIMEOUT: 'google-away',
  OAUTH_ABORT: 'google-away',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'google-away',
  OAUTH_RESPONSE_IS_NOT_JSON: 'google-away',
  OAUTH_PARSE_ERROR: 'google-away',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'google-clock',
}

/** Says why an answer of the issuer was not accepted. */
export function refusalOf(error: unknown): SignInRefused {
  if (error instanceof SignInRefused) return error
  return new SignInRefused(faultOf(error), reasonOf(error), { cause: error })
}

/** Whether the issuer could not be asked, or gave nothing to read. */
export function isAway({ fault }: SignInRefused): boolean {
  return fault === 'google-away'
}

function faultOf(error: unknown): SignInFault {
  if (error instanceof AuthorizationResponseError) {
    return toldByIssuer[error.error] ?? 'google-refused'
  }
  if (error instanceof ResponseBodyError) return toldForCode[error.error] ?? 'google-refused'
  if (error instanceof ClientError) return byCode[error.code ?? ''] ?? 'google-refused'
  // What `fetch` throws, and our own limits on what it may fetch.
  if (error instanceof TypeError) return 'google-away'
  return 'google-refused'
}

/** Puts the messages of an error and its causes together. None of them holds a token or a code. */
export function reasonOf(error: unknown): string {
  const messages: string[] = []
  for (let fault = error; fault instanceof Error; fault = fault.cause) messages.push(fault.message)
  return messages.join(': ')
}
