// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  delayedResponse,
  errorResponse,
  openPage,
  setSignedInHint,
  unauthorized,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { useAuthState } from './use-auth-state.ts'

const ada = { id: 'ada', email: 'ada@example.org' }
const call = 'GET /api/auth/user'

let page: WebPage
beforeEach(() => {
  page = openPage()
  setSignedInHint(true)
})
afterEach(() => {
  page.close()
  setSignedInHint(false)
})

function renderAuthState() {
  const hook = page.run(() => useAuthState())
  return () => hook.result.current
}

test('is loading until the server responds, then signed in', async () => {
  const { respond: response, resolve } = delayedResponse()
  page.on(call, response)
  const state = renderAuthState()
  expect(state()).toEqual({ is: 'loading' })
  await act(async () => resolve(ada))
  await expect.poll(state).toEqual({ is: 'signed-in', user: ada })
})

test('is visitor without a session', async () => {
  page.on(call, unauthorized)
  const state = renderAuthState()
  await expect.poll(state).toEqual({ is: 'visitor' })
})

test('is visitor without the hint cookie, and sends no request', async () => {
  setSignedInHint(false)
  const state = renderAuthState()
  await expect.poll(state).toEqual({ is: 'visitor' })
  expect(page.requests).toEqual([])
})

test('is logged out once the session ends while the page is open', async () => {
  page.on(call, () => ada)
  const state = renderAuthState()
  await expect.poll(() => state().is).toBe('signed-in')
  act(() => void page.client.setQueryData(currentUserQuery.queryKey, null))
  await expect.poll(state).toEqual({ is: 'logged-out' })
})

test('is unreachable if the server fails, also during a retry', async () => {
  page.on(call, () => errorResponse(503))
  const state = renderAuthState()
  await expect.poll(state).toMatchObject({ is: 'unreachable', isRetrying: false })

  const { respond: response, resolve } = delayedResponse()
  page.on(call, response)
  const unreachableState = state()
  if (unreachableState.is !== 'unreachable') return expect.fail('it should be unreachable')
  act(() => unreachableState.retry())
  await expect.poll(state).toMatchObject({ is: 'unreachable', isRetrying: true })
  await act(async () => resolve(ada))
  await expect.poll(() => state().is).toBe('signed-in')
})

test('stays signed in if a later request fails', async () => {
  page.on(call, () => ada)
  const state = renderAuthState()
  await expect.poll(() => state().is).toBe('signed-in')
  page.on(call, () => errorResponse(503))
  await act(() => page.client.invalidateQueries(currentUserQuery))
  expect(state().is).toBe('signed-in')
})
