import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { expect, it } from 'vitest'
import { refusalOf } from './issuer.ts'
import { messagesOf, SignInRefused } from './sign-in.ts'

function inPlaceOfCode(error: string) {
  return new AuthorizationResponseError('failed', { cause: new URLSearchParams({ error }) })
}
function inPlaceOfTokens(error: string) {
  return new ResponseBodyError('failed', { cause: { error }, response: new Response() })
}
function ofLibrary(code: string) {
  return Object.assign(new ClientError('failed'), { code })
}

it.each([
  ['access_denied instead of a code', inPlaceOfCode('access_denied'), 'google-denied'],
  ['server_error instead of a code', inPlaceOfCode('server_error'), 'google-away'],
  ['invalid_scope instead of a code', inPlaceOfCode('invalid_scope'), 'google-refused'],
  ['invalid_grant instead of tokens', inPlaceOfTokens('invalid_grant'), 'google-lost'],
  ['invalid_client instead of tokens', inPlaceOfTokens('invalid_client'), 'google-failed'],
  ['access_denied instead of tokens', inPlaceOfTokens('access_denied'), 'google-refused'],
  ['a timeout', ofLibrary('OAUTH_TIMEOUT'), 'google-away'],
  ['a clock difference', ofLibrary('OAUTH_JWT_TIMESTAMP_CHECK_FAILED'), 'google-clock'],
  ['a wrong claim', ofLibrary('OAUTH_JWT_CLAIM_COMPARISON_FAILED'), 'google-refused'],
  ['no connection', new TypeError('fetch failed'), 'google-away'],
  ['an unknown error', new Error('odd'), 'google-refused'],
  ['a thrown string', 'odd', 'google-refused'],
] as const)('refusalOf classifies %s', (_, error, fault) => {
  const refusal = refusalOf(error)
  expect(refusal).toMatchObject({ fault, cause: error })
})

it('refusalOf returns a SignInRefused unchanged', () => {
  const refusal = new SignInRefused('google-denied', 'why')
  expect(refusalOf(refusal)).toBe(refusal)
})

it('messagesOf joins the messages from the outermost error to its causes', () => {
  const cause = new Error('the socket', { cause: new Error('the line') })
  expect(messagesOf(new Error('the call', { cause }))).toBe('the call: the socket: the line')
  expect(messagesOf('odd')).toBe('')
})
