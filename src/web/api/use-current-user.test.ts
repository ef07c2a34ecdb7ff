// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  hintSignedIn,
  openPage,
  refused,
  unauthorized,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import { currentUserQuery } from './use-current-user.ts'

let page: WebPage
beforeEach(() => {
  page = openPage()
  hintSignedIn(true)
})
afterEach(() => {
  page.close()
  hintSignedIn(false)
})

function fetchCurrentUser() {
  return page.client.fetchQuery(currentUserQuery)
}

test('returns the user from the server', async () => {
  page.on('GET /api/auth/user', () => ({ id: 'ada' }))
  expect(await fetchCurrentUser()).toEqual({ id: 'ada' })
})

test('returns null without a session, and reports no error', async () => {
  page.on('GET /api/auth/user', unauthorized)
  expect(await fetchCurrentUser()).toBeNull()
  expect(page.signedOut()).toBe(0)
  // Without the hint, the next page sends no request.
  expect(document.cookie).not.toContain(`${signedInHint}=abc`)
})

test('returns null without the hint cookie, and sends no request', async () => {
  hintSignedIn(false)
  expect(await fetchCurrentUser()).toBeNull()
  expect(page.asked).toEqual([])
})

test.each([
  ['the server fails', () => refused(500)],
  ['the server is unreachable', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the call is forbidden', () => refused(403, 'FORBIDDEN')],
])('rejects if %s', async (_, response) => {
  page.on('GET /api/auth/user', response)
  await expect(fetchCurrentUser()).rejects.toThrow()
  expect(document.cookie).toContain(signedInHint)
})
