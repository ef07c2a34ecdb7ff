// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  hintSignedIn,
  later,
  openPage,
  refused,
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
  hintSignedIn(true)
})
afterEach(() => {
  page.close()
  hintSignedIn(false)
})

function visit() {
  const shown = page.run(() => useAuthState())
  return () => shown.result.current
}

test('while nobody knows, the page is loading; then the user is signed in', async () => {
  const { answer, come } = later()
  page.on(call, answer)
  const state = visit()
  expect(state()).toEqual({ is: 'loading' })
  await act(async () => come(ada))
  await expect.poll(state).toEqual({ is: 'signed-in', user: ada })
})

test('whoever has no session is a visitor', async () => {
  page.on(call, unauthorized)
  const state = visit()
  await expect.poll(state).toEqual({ is: 'visitor' })
})

test('without the hint that somebody is signed in nobody is asked', async () => {
  hintSignedIn(false)
  const state = visit()
  await expect.poll(state).toEqual({ is: 'visitor' })
  expect(page.asked).toEqual([])
})

test('whose session ends while the page is open is logged out, and no visitor', async () => {
  page.on(call, () => ada)
  const state = visit()
  await expect.poll(() => state().is).toBe('signed-in')
  act(() => void page.client.setQueryData(currentUserQuery.queryKey, null))
  await expect.poll(state).toEqual({ is: 'logged-out' })
})

test('a server that gives no answer is unreachable, also while it is asked again', async () => {
  page.on(call, () => refused(503))
  const state = visit()
  await expect.poll(state).toMatchObject({ is: 'unreachable', isRetrying: false })

  const { answer, come } = later()
  page.on(call, answer)
  const unreachable = state()
  if (unreachable.is !== 'unreachable') return expect.fail('it should be unreachable')
  act(() => unreachable.retry())
  await expect.poll(state).toMatchObject({ is: 'unreachable', isRetrying: true })
  await act(async () => come(ada))
  await expect.poll(() => state().is).toBe('signed-in')
})

test('a failure to ask again leaves whoever was signed in', async () => {
  page.on(call, () => ada)
  const state = visit()
  await expect.poll(() => state().is).toBe('signed-in')
  page.on(call, () => refused(503))
  await act(() => page.client.invalidateQueries(currentUserQuery))
  expect(state().is).toBe('signed-in')
})
