// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  delayedResponse,
  errorResponse,
  openPage,
  setSignedInHint,
  unauthorized,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { SignedInScreen } from './screen-guards.tsx'

const userEndpoint = 'GET /api/auth/user'
function makeUser() {
  return { id: 'ada' }
}

let page: WebPage
let openedUrls: string[]
beforeEach(() => {
  page = openPage()
  openedUrls = []
  setSignedInHint(true)
  for (const method of ['replace', 'assign'] as const) {
    vi.spyOn(window.location, method).mockImplementation((url) => void openedUrls.push(String(url)))
  }
})
afterEach(() => {
  page.close()
  vi.restoreAllMocks()
  setSignedInHint(false)
  window.history.replaceState(null, '', '/')
})

describe('a screen for signed-in users', () => {
  const show = (visitor?: string) =>
    page.show(<SignedInScreen visitor={visitor}>{({ id }) => `files of ${id}`}</SignedInScreen>)

  test('shows a loading state, then the user’s content', async () => {
    const { respond: response, resolve } = delayedResponse()
    page.on(userEndpoint, response)
    show()
    expect(page.text()).toContain('Loading')
    await act(async () => resolve(makeUser()))
    await expect.poll(page.text).toBe('files of ada')
    expect(openedUrls).toEqual([])
  })

  test('shows a visitor the `visitor` content', async () => {
    page.on(userEndpoint, unauthorized)
    show('the front page')
    await expect.poll(page.text).toBe('the front page')
    expect(openedUrls).toEqual([])
  })

  test('redirects a visitor to the login if it has no `visitor` content', async () => {
    page.on(userEndpoint, unauthorized)
    show()
    await expect.poll(() => openedUrls).toEqual(['/api/login'])
    expect(page.text()).not.toContain('files')
  })

  test('redirects to the login after the session ends, without showing the `visitor` content', async () => {
    page.on(userEndpoint, makeUser)
    show('the front page')
    await expect.poll(page.text).toBe('files of ada')
    act(() => void page.client.setQueryData(currentUserQuery.queryKey, null))
    await expect.poll(() => openedUrls).toEqual(['/api/login'])
    expect(page.text()).not.toMatch(/front page|files/)
  })

  test('shows that the server is unreachable, and can retry', async () => {
    page.on(userEndpoint, () => errorResponse(503))
    show()
    await expect.poll(page.text).toContain('cannot be reached')
    page.on(userEndpoint, makeUser)
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await expect.poll(page.text).toBe('files of ada')
  })
})
