// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { signInAgain } from './sign-in-again.ts'

let page: WebPage
let visitedUrls: string[]
beforeEach(() => {
  vi.useFakeTimers()
  page = openPage()
  page.show(null)
  visitedUrls = []
  vi.spyOn(window.location, 'assign').mockImplementation(
    (url) => void visitedUrls.push(String(url)),
  )
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
  vi.restoreAllMocks()
  page.close()
  window.history.replaceState(null, '', '/')
})

function countOccurrences(text: string): number {
  return page.text().split(text).length - 1
}

test("shows 'Unauthorized / You are logged out. Logging in again...' once and opens /api/login after 500 ms", async () => {
  signInAgain()
  signInAgain()
  await vi.advanceTimersByTimeAsync(499)
  expect(countOccurrences('You are logged out. Logging in again...')).toBe(1)
  expect(visitedUrls).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(visitedUrls).toEqual(['/api/login'])
})

test('stays on a page with active uploads and explains what to do', async () => {
  const preventUnload = (event: Event) => event.preventDefault()
  window.addEventListener('beforeunload', preventUnload)
  signInAgain()
  await vi.advanceTimersByTimeAsync(500)
  window.removeEventListener('beforeunload', preventUnload)
  expect(
    countOccurrences('You are logged out. Log in in another tab to resume your uploads.'),
  ).toBe(1)
  expect(visitedUrls).toEqual([])

  signInAgain()
  await vi.advanceTimersByTimeAsync(500)
  expect(visitedUrls).toEqual(['/api/login'])
})

test.each([
  ['/?tab=files', '/api/login?next=%2F%3Ftab%3Dfiles'],
  ['/account#sessions', '/api/login?next=%2Faccount%23sessions'],
  ['/login', '/api/login'],
])('returns to %s after sign-in', async (path, expectedUrl) => {
  window.history.replaceState(null, '', path)
  signInAgain()
  await vi.advanceTimersByTimeAsync(500)
  expect(visitedUrls).toEqual([expectedUrl])
})
