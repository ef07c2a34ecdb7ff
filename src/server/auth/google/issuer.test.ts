import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { expect, it } from 'vitest'
import { refusalOf } from './issuer.ts'
import { messagesOf, SignInRefused } from './sign-in.ts'

function inPlaceOfCode(error: string) {
  return new AuthorizationResponseError('told', { cause: new URLSearchParams({ error }) })
}
function inPlaceOfTokens(error: string) {
  return new ResponseBodyError('told', { cause: { error }, response: new Response() })
}
function ofLibrary(code: string) {
  return Object.assign(new ClientError('told'), { code })
}

it.each([
  ['access_denied in place of a code', inPlaceOfCode('access_denied'), 'google-denied'],
  ['server_error in place of a code', inPlaceOfCode('server_error'), 'google-away'],
  ['invalid_scope in place of a code', inPlaceOfCode('invalid_scope'), 'google-refused'],
  ['invalid_grant in place of tokens', inPlaceOfTokens('invalid_grant'), 'google-lost'],
  ['invalid_client in place of tokens', inPlaceOfTokens('invalid_client'), 'google-failed'],
  ['access_denied in place of tokens', inPlaceOfTokens('access_denied'), 'google-refused'],
  ['no answer in time', ofLibrary('OAUTH_TIMEOUT'), 'google-away'],
  ['a clock that differs', ofLibrary('OAUTH_JWT_TIMESTAMP_CHECK_FAILED'), 'google-clock'],
  ['a wrong claim', ofLibrary('OAUTH_JWT_CLAIM_COMPARISON_FAILED'), 'google-refused'],
  ['no connection', new TypeError('fetch failed'), 'google-away'],
  ['anything else', new Error('odd'), 'google-refused'],
  ['what is no error', 'odd', 'google-refused'],
] as const)('%s', (_what, error, fault) => {
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
