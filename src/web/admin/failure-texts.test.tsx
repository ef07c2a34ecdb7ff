// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listedUser as user } from '../../../tests/support/listed-user.ts'
import { errorResponse, openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { DeleteUserDialog } from './delete-user-dialog.tsx'
import { MaintenanceSection } from './maintenance-section.tsx'
import { TextSettingForm } from './settings-section.tsx'
import { UserRow } from './user-row.tsx'

const serverMessage = 'The reason that the server gave.'

let page: WebPage
beforeEach(() => {
  page = openPage()
  respondToAllCalls(() => errorResponse(503, 'UNAVAILABLE', serverMessage))
})
afterEach(() => page.close())

function respondToAllCalls(respond: () => Response) {
  for (const call of [
    'POST /api/test-email',
    'POST /api/admin/cleanup-expired',
    'POST /api/admin/sanitize-filenames',
    'POST /api/admin/expire-files',
    'POST /api/admin/expire-trials',
    'GET /api/admin/test-s3-connection',
    'POST /api/admin/test-s3-upload',
    `POST /api/admin/toggle-user-tier/${user.id}`,
    `DELETE /api/admin/users/${user.id}`,
    'POST /api/admin/settings',
  ]) {
    page.on(call, respond)
  }
}

function getSentRequests(method: string) {
  return page.requests.filter(({ call }) => call.startsWith(method))
}

function press(name: string) {
  fireEvent.click(screen.getByRole('button', { name }))
}

async function expectToast(title: string) {
  const toast = await screen.findByRole('alert')
  expect(within(toast).getByText(title)).toBeTruthy()
  expect(within(toast).getByText(serverMessage)).toBeTruthy()
}

describe('a failed maintenance action', () => {
  it.each([
    ['Send: Test email', null, 'Failed to test email notification'],
    ['Clean up: Clean up expired files', 'Clean up', 'Failed to cleanup expired files'],
    ['Sanitize: Sanitize filenames', 'Sanitize', 'Failed to sanitize filenames'],
    ['Expire files', 'Expire files', 'Failed to expire files'],
    ['Expire trials', 'Expire trials', 'Failed to expire trials'],
    ['Test connection: Test storage connection', null, 'Failed to test S3 connection'],
    ['Test upload: Test storage upload', null, 'Failed to get upload URL'],
  ])(
    '%s: shows the error and its reason next to the button',
    async (button, confirmLabel, text) => {
      page.show(<MaintenanceSection />)
      press(button)
      if (confirmLabel !== null) {
        const dialog = await screen.findByRole('alertdialog')
        fireEvent.click(within(dialog).getByRole('button', { name: confirmLabel }))
      }
      const statusElement = (await screen.findByText(text)).closest('[role="status"]')
      expect(statusElement?.textContent).toContain(serverMessage)
    },
  )
})

describe('a destructive maintenance action', () => {
  it.each([
    ['Clean up: Clean up expired files', 'every file whose link has expired and cannot be renewed'],
    ['Sanitize: Sanitize filenames', 'The old names are not kept'],
    ['Expire files', 'deletes the contents of every file that has expired'],
    ['Expire trials', 'All users whose trial is over become Free'],
  ])(
    '%s: asks for confirmation, names the consequences, and does nothing when canceled',
    async (button, expectedText) => {
      page.show(<MaintenanceSection />)
      press(button)
      const dialog = await screen.findByRole('alertdialog')
      expect(dialog.textContent).toContain(expectedText)
      expect(dialog.textContent).toMatch(/all users\b.*cannot be undone/i)
      fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }))
      await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
      expect(getSentRequests('POST')).toEqual([])
    },
  )
})

describe('changes in the Admin Center', () => {
  it('tier: shows an error if the change fails', async () => {
    page.show(<UserRow user={user} now={new Date()} onDelete={() => undefined} />)
    press('Make Premium: Mira Oake')
    await expectToast('Failed to change user tier')
  })

  it('tier: asks for confirmation before a downgrade', async () => {
    const premiumUser: ListedUser = { ...user, tier: 'premium' }
    page.show(<UserRow user={premiumUser} now={new Date()} onDelete={() => undefined} />)
    press('Make Free: Mira Oake')
    const dialog = await screen.findByRole('alertdialog')
    expect(dialog.textContent).toContain('whose links have ended are deleted')
    fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(getSentRequests('POST')).toEqual([])
    press('Make Free: Mira Oake')
    const secondDialog = await screen.findByRole('alertdialog')
    fireEvent.click(within(secondDialog).getByRole('button', { name: 'Make Free' }))
    await waitFor(() => expect(getSentRequests('POST')).toHaveLength(1))
  })

  it('deletion: shows an error and keeps the dialog and its input', async () => {
    page.show(<DeleteUserDialog user={user} onClosed={() => undefined} />)
    const emailField = await screen.findByLabelText('Type this address to delete the account')
    fireEvent.change(emailField, { target: { value: 'mira@example.com' } })
    press('Delete')
    expect(await screen.findByText('This does not match the address above.')).toBeTruthy()
    fireEvent.change(emailField, { target: { value: user.email } })
    press('Delete')
    await expectToast('Failed to delete user')
    expect(screen.getByLabelText<HTMLInputElement>(/^Type this address/).value).toBe(user.email)
  })

  it('deletion: reports a user who was already deleted, without a file count', async () => {
    respondToAllCalls(() => errorResponse(404, 'USER_NOT_FOUND', serverMessage))
    page.show(<DeleteUserDialog user={user} onClosed={() => undefined} />)
    const emailField = await screen.findByLabelText('Type this address to delete the account')
    fireEvent.change(emailField, { target: { value: user.email } })
    press('Delete')
    const toastTitle = await screen.findByText('Mira Oake was already deleted')
    expect(toastTitle.parentElement?.textContent).not.toContain('file')
  })

  it.each([
    ['premium_price', '9', 'Failed to update premium price'],
    ['app_version', 'v1', 'Failed to update app version'],
    ['email_signature', 'Us', 'Failed to update email signature'],
  ] as const)('setting %s: shows an error and keeps the input', async (key, value, text) => {
    page.show(<TextSettingForm setting={key} stored="8" />)
    fireEvent.change(screen.getByRole(key === 'premium_price' ? 'spinbutton' : 'textbox'), {
      target: { value },
    })
    press(screen.getByRole('button').getAttribute('aria-label') ?? '')
    await expectToast(text)
    expect(screen.getByDisplayValue(value)).toBeTruthy()
  })

  it('setting: shows the reason for a rejection only below the field', async () => {
    respondToAllCalls(() => errorResponse(400, 'INVALID_INPUT', serverMessage))
    page.show(<TextSettingForm setting="app_version" stored="v0" />)
    fireEvent.change(screen.getByRole('textbox'), { target: { value: 'v1' } })
    press('Save app version')
    const toast = await screen.findByText('Failed to update app version')
    expect(toast.closest('[role="alert"]')?.textContent).toBe('Failed to update app version')
    expect(screen.getAllByText(serverMessage)).toHaveLength(1)
    expect(screen.getByRole('textbox').getAttribute('aria-invalid')).toBe('true')
  })
})
