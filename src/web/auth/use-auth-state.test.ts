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
const userEndpoint = 'GET /api/auth/user'

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
  page.on(userEndpoint, response)
  const getState = renderAuthState()
  expect(getState()).toEqual({ is: 'loading' })
  await act(async () => resolve(ada))
  await expect.poll(getState).toEqual({ is: 'signed-in', user: ada })
})

test('is visitor without a session', async () => {
  page.on(userEndpoint, unauthorized)
  const getState = renderAuthState()
  await expect.poll(getState).toEqual({ is: 'visitor' })
})

test('is visitor without the hint cookie, and sends no request', async () => {
  setSignedInHint(false)
  const getState = renderAuthState()
  await expect.poll(getState).toEqual({ is: 'visitor' })
  expect(page.requests).toEqual([])
})

test('is logged out once the session ends while the page is open', async () => {
  page.on(userEndpoint, () => ada)
  const getState = renderAuthState()
  await expect.poll(() => getState().is).toBe('signed-in')
  act(() => void page.client.setQueryData(currentUserQuery.queryKey, null))
  await expect.poll(getState).toEqual({ is: 'logged-out' })
})

test('is unreachable if the server fails, also during a retry', async () => {
  page.on(userEndpoint, () => errorResponse(503))
  const getState = renderAuthState()
  await expect.poll(getState).toMatchObject({ is: 'unreachable', isRetrying: false })

  const { respond: response, resolve } = delayedResponse()
  page.on(userEndpoint, response)
  const unreachableState = getState()
  if (unreachableState.is !== 'unreachable') return expect.fail('it should be unreachable')
  act(() => unreachableState.retry())
  await expect.poll(getState).toMatchObject({ is: 'unreachable', isRetrying: true })
  await act(async () => resolve(ada))
  await expect.poll(() => getState().is).toBe('signed-in')
})

test('stays signed in if a later request fails', async () => {
  page.on(userEndpoint, () => ada)
  const getState = renderAuthState()
  await expect.poll(() => getState().is).toBe('signed-in')
  page.on(userEndpoint, () => errorResponse(503))
  await act(() => page.client.invalidateQueries(currentUserQuery))
  expect(getState().is).toBe('signed-in')
})
