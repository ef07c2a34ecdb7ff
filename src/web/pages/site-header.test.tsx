// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { ChecksSection } from '../admin/checks-section.tsx'
import { AdminLink } from './site-header.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => {
  vi.useRealTimers()
  page.close()
})

function getLinkText() {
  return screen.getByRole('link').textContent
}

it.each([
  [0, 0, 'Admin'],
  [1, 0, 'Admin1, 1 failing check'],
  [0, 2, 'Admin2, 2 open reports'],
  [3, 1, 'Admin4, 3 failing checks, 1 open report'],
  [0, 1200, 'Admin9+, 1,200 open reports'],
])(
  'with %i failing checks and %i open reports shows: %s',
  async (failingChecks, openReports, text) => {
    page.on('GET /api/admin/waiting', () => ({ failingChecks, openReports }))
    page.show(<AdminLink />)
    await waitFor(() => expect(getLinkText()).toBe(text))
  },
)

it('polls once a minute even when remounted, and keeps the last count if a call fails', async () => {
  vi.useFakeTimers()
  let response: unknown = { failingChecks: 0, openReports: 1 }
  page.on('GET /api/admin/waiting', () => response)
  const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  const firstRender = page.show(<AdminLink />)
  await advance(30_000)
  firstRender.unmount()
  page.show(<AdminLink />)
  await advance(29_000)
  expect(page.requests).toHaveLength(1)
  expect(getLinkText()).toBe('Admin1, 1 open report')
  response = new Response('', { status: 503 })
  await advance(60_000)
  expect(page.requests).toHaveLength(2)
  expect(getLinkText()).toBe('Admin1, 1 open report')
})

it('updates the count when the checks section loads', async () => {
  page.on('GET /api/admin/waiting', () => ({ failingChecks: 2, openReports: 1 }))
  page.on('GET /api/admin/checks', () => [
    { name: 'Storage', status: 'failing', message: 'It is away.', cure: 'Bring it back.' },
  ])
  page.show(
    <>
      <AdminLink />
      <ChecksSection />
    </>,
  )
  await screen.findByText('It is away.')
  screen.getByRole('button', { name: 'Check again' }).click()
  await waitFor(() => expect(getLinkText()).toBe('Admin2, 1 failing check, 1 open report'))
  expect(page.requests.filter(({ call }) => call === 'GET /api/admin/waiting')).toHaveLength(1)
})
