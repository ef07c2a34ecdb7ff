// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  delayedResponse,
  errorResponse,
  openPage,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import type { AuditEntry } from '../../shared/contract/admin.ts'
import { MaintenanceSection } from './maintenance-section.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

function makeAuditEntry(action: AuditEntry['action'], details: AuditEntry['details']): AuditEntry {
  const actorFields = { actor: 'admin@example.org', subject: null, ipAddress: '192.0.2.1' }
  return {
    id: 1,
    at: new Date('2025-11-19T16:02:47').toISOString(),
    action,
    details,
    ...actorFields,
  }
}

function show() {
  page.show(<MaintenanceSection />)
}

function findRow(title: string): HTMLElement {
  const row = screen.getByRole('heading', { name: title }).closest('li')
  if (!row) throw new Error(`no row ${title}`)
  return row
}

test('each action shows its last result and when it ran, or that it never ran', async () => {
  page.on('GET /api/admin/maintenance', () => [
    makeAuditEntry('sanitize-file-names', { updated: 4, errors: 0 }),
    makeAuditEntry('test-mail', { success: false }),
  ])
  show()
  await screen.findByText('Sanitized filenames: 4')
  expect(findRow('Sanitize filenames').textContent).toContain('Wed 19 Nov 2025, 16:02:47')
  expect(findRow('Test email').textContent).toContain('Sent a test email: failed')
  expect(screen.getAllByText('Not run from here yet.')).toHaveLength(5)
  // One request loads the last results for all actions. No action has run on this page, so nothing
  // is announced.
  expect(page.requests.filter(({ call }) => call.endsWith('/maintenance'))).toHaveLength(1)
  for (const status of screen.getAllByRole('status')) expect(status.textContent).toBe('')
})

test('a new result replaces the last one and is announced', async () => {
  page.on('GET /api/admin/maintenance', () => [
    makeAuditEntry('test-storage', { connected: false }),
  ])
  const response = delayedResponse()
  page.on('GET /api/admin/test-s3-connection', response.respond)
  show()
  await screen.findByText('Tested the storage connection: failed')
  const row = findRow('Test storage connection')
  fireEvent.click(within(row).getByRole('button'))
  await within(row).findByText('Testing…')
  expect(row.textContent).not.toContain('Tested the storage connection: failed')
  response.resolve({ connected: true, message: 'It works.' })
  await within(row).findByText('Connected')
  expect(within(row).getByRole('status').textContent).toContain('It works.')
})

test('shows a single error if the last results fail to load, and the actions still work', async () => {
  page.on('GET /api/admin/maintenance', () => errorResponse(403, 'FORBIDDEN'))
  show()
  const errorElement = await screen.findByText('The last results could not be loaded.')
  expect(page.text()).not.toContain('Not run from here yet.')
  page.on('GET /api/admin/maintenance', () => [
    makeAuditEntry('expire-trials', { expiredCount: 3 }),
  ])
  fireEvent.click(screen.getByRole('button', { name: 'Try again: last results' }))
  await screen.findByText('Expired trials: 3')
  expect(errorElement.isConnected).toBe(false)
})
