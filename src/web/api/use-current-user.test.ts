// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  errorResponse,
  openPage,
  setSignedInHint,
  unauthorized,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import { signedInHintCookie } from '../../shared/signed-in-hint.ts'
import { currentUserQuery } from './use-current-user.ts'

let page: WebPage
beforeEach(() => {
  page = openPage()
  setSignedInHint(true)
})
afterEach(() => {
  page.close()
  setSignedInHint(false)
})

function fetchCurrentUser() {
  return page.client.fetchQuery(currentUserQuery)
}

test('returns the user from the server', async () => {
  page.on('GET /api/auth/user', () => ({ id: 'ada' }))
  expect(await fetchCurrentUser()).toEqual({ id: 'ada' })
})

test('uses the response that the page has requested, once', async () => {
  globalThis.userResponse = Promise.resolve(Response.json({ id: 'ada' }))
  expect(await fetchCurrentUser()).toEqual({ id: 'ada' })
  page.client.clear()
  page.on('GET /api/auth/user', () => ({ id: 'eve' }))
  expect(await fetchCurrentUser()).toEqual({ id: 'eve' })
})

test('returns null without a session, and reports no error', async () => {
  page.on('GET /api/auth/user', unauthorized)
  expect(await fetchCurrentUser()).toBeNull()
  expect(page.signOutCount()).toBe(0)
  // Without the hint cookie, the next page doesn't try to load the user.
  expect(document.cookie).not.toContain(`${signedInHintCookie}=abc`)
})

test('returns null without the hint cookie, and sends no request', async () => {
  setSignedInHint(false)
  expect(await fetchCurrentUser()).toBeNull()
  expect(page.requests).toEqual([])
})

test.each([
  ['the server fails', () => errorResponse(500)],
  ['the server is unreachable', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the call is forbidden', () => errorResponse(403, 'FORBIDDEN')],
])('rejects if %s', async (_, response) => {
  page.on('GET /api/auth/user', response)
  await expect(fetchCurrentUser()).rejects.toThrow()
  expect(document.cookie).toContain(signedInHintCookie)
})
