// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  delayedResponse,
  errorResponse,
  openPage,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import { useEmailVerification } from './use-email-verification.ts'

const verifyEndpoint = 'POST /api/auth/verify-email'
const checkEndpoint = `${verifyEndpoint}/check`

let page: WebPage
beforeEach(() => {
  page = openPage()
  page.on(checkEndpoint, () => ({ isOwnSignup: true }))
})
afterEach(() => page.close())

function verify(token: string) {
  const hook = page.run(({ token }: { token: string }) => useEmailVerification(token), { token })
  return { state: () => hook.result.current, rerender: () => hook.rerender({ token }) }
}

test('fails without a token and sends no request', () => {
  const { state } = verify('')
  expect(state()).toEqual({
    state: 'failed',
    reason: 'No verification token found in URL',
    retry: null,
  })
  expect(page.requests).toEqual([])
})

test('sends the token exactly once in the browser that signed up, even when rerendered', async () => {
  const { respond: response, resolve } = delayedResponse()
  page.on(verifyEndpoint, response)
  const { state, rerender } = verify('abc')
  expect(state()).toEqual({ state: 'loading' })
  rerender()
  await act(async () => resolve({ message: 'Email verified!' }))
  await expect.poll(state).toEqual({ state: 'verified' })
  rerender()
  expect(page.requests.filter(({ call: sentCall }) => sentCall === verifyEndpoint)).toHaveLength(1)
  expect(page.requests.at(-1)?.body).toEqual({ token: 'abc' })
  await expect.poll(page.text).toBe('Email verified!')
})

test('sends the token in any other browser only after confirmation', async () => {
  page.on(checkEndpoint, () => ({ isOwnSignup: false }))
  page.on(verifyEndpoint, () => ({ message: 'Email verified!' }))
  const { state } = verify('abc')
  await expect.poll(state).toMatchObject({ state: 'unconfirmed' })
  expect(page.requests).toHaveLength(1)
  const unconfirmedState = state()
  if (unconfirmedState.state === 'unconfirmed') act(unconfirmedState.confirm)
  await expect.poll(state).toEqual({ state: 'verified' })
})

test.each([
  ['the server’s message', 'This link is not valid any more.', 'This link is not valid any more.'],
  ['the default', undefined, 'Failed to verify email'],
])('a rejected token shows %s and cannot be retried', async (_, message, reason) => {
  page.on(checkEndpoint, () => errorResponse(400, 'TOKEN_INVALID', message))
  const { state } = verify('abc')
  await expect.poll(state).toEqual({ state: 'failed', reason, retry: null })
  await expect.poll(page.text).toBe(`Verification failed${reason}`)
})

test('can be retried if there was no response, and shows a loading state during the retry', async () => {
  const { state } = verify('abc')
  await expect.poll(state).toMatchObject({ state: 'failed', reason: 'Network error occurred' })
  await expect.poll(page.text).toContain('Network error')

  const { respond: response, resolve } = delayedResponse()
  page.on(verifyEndpoint, response)
  const failedState = state()
  if (failedState.state !== 'failed' || !failedState.retry)
    return expect.fail('it should be tried again')
  const { retry } = failedState
  act(() => retry())
  await expect.poll(state).toEqual({ state: 'loading' })
  await act(async () => resolve({ message: 'Email verified!' }))
  await expect.poll(state).toEqual({ state: 'verified' })
})
