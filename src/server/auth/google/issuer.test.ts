import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { expect, it } from 'vitest'
import { toSignInRejection } from './issuer.ts'
import { joinMessages, SignInRejectedError } from './sign-in.ts'

function createAuthorizationError(error: string) {
  return new AuthorizationResponseError('failed', { cause: new URLSearchParams({ error }) })
}
function createTokenError(error: string) {
  return new ResponseBodyError('failed', { cause: { error }, response: new Response() })
}
function createLibraryError(code: string) {
  return Object.assign(new ClientError('failed'), { code })
}

it.each([
  ['access_denied instead of a code', createAuthorizationError('access_denied'), 'google-denied'],
  ['server_error instead of a code', createAuthorizationError('server_error'), 'google-away'],
  ['invalid_scope instead of a code', createAuthorizationError('invalid_scope'), 'google-refused'],
  ['invalid_grant instead of tokens', createTokenError('invalid_grant'), 'google-lost'],
  ['invalid_client instead of tokens', createTokenError('invalid_client'), 'google-failed'],
  ['access_denied instead of tokens', createTokenError('access_denied'), 'google-refused'],
  ['a timeout', createLibraryError('OAUTH_TIMEOUT'), 'google-away'],
  ['a clock difference', createLibraryError('OAUTH_JWT_TIMESTAMP_CHECK_FAILED'), 'google-clock'],
  ['a wrong claim', createLibraryError('OAUTH_JWT_CLAIM_COMPARISON_FAILED'), 'google-refused'],
  ['no connection', new TypeError('fetch failed'), 'google-away'],
  ['an unknown error', new Error('odd'), 'google-refused'],
  ['a thrown string', 'odd', 'google-refused'],
] as const)('toSignInRejection classifies %s', (_, error, code) => {
  const rejection = toSignInRejection(error)
  expect(rejection).toMatchObject({ code, cause: error })
})

it('toSignInRejection returns a SignInRejectedError unchanged', () => {
  const rejection = new SignInRejectedError('google-denied', 'why')
  expect(toSignInRejection(rejection)).toBe(rejection)
})

it('joinMessages joins the messages from the outermost error to its causes', () => {
  const cause = new Error('the socket', { cause: new Error('the line') })
  expect(joinMessages(new Error('the call', { cause }))).toBe('the call: the socket: the line')
  expect(joinMessages('odd')).toBe('')
})
