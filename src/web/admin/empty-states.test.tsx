// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { CheckResult } from '../../shared/contract/checks.ts'
import { AuditSection } from './audit-section.tsx'
import { ChecksSection } from './checks-section.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

describe('passing checks', () => {
  const passingCheck: CheckResult = {
    name: 'Database',
    status: 'ok',
    message: 'Answers in 2 ms.',
    cure: '',
  }
  const allPassedText = 'Everything is OK.'

  it('collapse into one line that can be expanded', async () => {
    page.on('GET /api/admin/checks', () => [passingCheck, { ...passingCheck, name: 'Clock' }])
    page.show(<ChecksSection />)
    await screen.findByText(allPassedText)
    expect(screen.getByRole('status').textContent).toMatch(/^2 of 2 OK · today, /)
    expect(page.text()).not.toContain('Answers in 2 ms.')
    fireEvent.click(screen.getByRole('button', { name: 'Show what is OK (2)' }))
    expect(screen.getAllByText('Answers in 2 ms.')).toHaveLength(2)
  })

  it.each(['warning', 'failing'] as const)(
    'are not summarized as all OK next to a %s check',
    async (status) => {
      page.on('GET /api/admin/checks', () => [
        passingCheck,
        { ...passingCheck, name: 'Mail', status, cure: 'x' },
      ])
      page.show(<ChecksSection />)
      await screen.findByRole('heading', { name: 'Mail' })
      expect(page.text()).not.toContain(allPassedText)
    },
  )
})

describe('an empty audit log', () => {
  beforeEach(() => {
    page.on('GET /api/admin/audit', () => [])
    page.show(<AuditSection />)
  })

  const emptyText = 'No entries yet'

  it('shows an empty state that explains what is recorded', async () => {
    await screen.findByText(emptyText)
    expect(page.text()).toContain('Changes of tiers, passwords and settings are recorded here.')
    expect(screen.queryByRole('button', { name: 'Clear search' })).toBeNull()
  })

  it.each([
    ['Email, link code or IP address', '192.0.2.1', 'search', '192.0.2.1'],
    ['Action', 'take-down', 'action', 'take-down'],
    ['From', '2026-11-19', 'from', new Date('2026-11-19T00:00').toISOString()],
    ['To', '2026-11-19', 'to', new Date('2026-11-20T00:00').toISOString()],
  ])(
    'shows that a search by %s found nothing, and offers to clear it',
    async (label, value, name, expectedValue) => {
      await screen.findByText(emptyText)
      fireEvent.change(screen.getByLabelText(label), { target: { value } })
      await screen.findByText('No entries found')
      await waitFor(() =>
        expect(page.requests.at(-1)?.query).toEqual({ limit: '20', [name]: expectedValue }),
      )
      const clearButtons = screen.getAllByRole('button', { name: 'Clear search' })
      fireEvent.click(clearButtons.at(-1) ?? document.body)
      await screen.findByText(emptyText)
      expect(screen.getByLabelText<HTMLInputElement>(label).value).toBe(
        name === 'action' ? 'all' : '',
      )
    },
  )
})
