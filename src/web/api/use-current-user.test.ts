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

function ask() {
  return page.client.fetchQuery(currentUserQuery)
}

test('is who the server says', async () => {
  page.on('GET /api/auth/user', () => ({ id: 'ada' }))
  expect(await ask()).toEqual({ id: 'ada' })
})

test('is nobody without a session, which is no failure', async () => {
  page.on('GET /api/auth/user', unauthorized)
  expect(await ask()).toBeNull()
  expect(page.signedOut()).toBe(0)
  // The hint is gone, so the next page need not ask the server.
  expect(document.cookie).not.toContain(`${signedInHint}=abc`)
})

test('is nobody without the hint, and the server is not asked', async () => {
  hintSignedIn(false)
  expect(await ask()).toBeNull()
  expect(page.asked).toEqual([])
})

test.each([
  ['the server has a fault', () => refused(500)],
  ['the server is away', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the call is forbidden', () => refused(403, 'FORBIDDEN')],
])('is not known where %s', async (_, answer) => {
  page.on('GET /api/auth/user', answer)
  await expect(ask()).rejects.toThrow()
  expect(document.cookie).toContain(signedInHint)
})
