// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listedUser as user } from '../../../tests/support/listed-user.ts'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { endpoints } from '../../shared/contract/index.ts'
import { Toaster } from '../ui/toast.tsx'
import { useUserDeletion } from './delete-user-dialog.tsx'
import { MaintenanceSection } from './maintenance-section.tsx'
import { SettingForm } from './settings-section.tsx'
import { UserRow } from './user-row.tsx'

/** These tests check what each action of the administrator says when its call fails. */

const reason = 'The reason that the server gave.'

beforeEach(() => {
  vi.stubGlobal('fetch', async () =>
    Response.json({ message: reason, code: 'UNAVAILABLE' }, { status: 503 }),
  )
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function show(content: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      {content}
      <Toaster />
    </QueryClientProvider>,
  )
}

function Deletion() {
  const { ask, dialog } = useUserDeletion('users')
  return (
    <>
      <button type="button" onClick={() => ask(user)}>
        Ask
      </button>
      {dialog}
    </>
  )
}

function press(name: string) {
  fireEvent.click(screen.getByRole('button', { name }))
}

async function expectToast(title: string) {
  const toast = await screen.findByRole('alert')
  expect(within(toast).getByText(title)).toBeTruthy()
  expect(within(toast).getByText(reason)).toBeTruthy()
}

describe('a failed act of maintenance', () => {
  it.each([
    ['Send: Test email', null, 'Failed to test email notification'],
    ['Clean up: Clean up expired files', 'Clean up', 'Failed to cleanup expired files'],
    ['Sanitize: Sanitize filenames', 'Sanitize', 'Failed to sanitize filenames'],
    ['Expire files', 'Expire files', 'Failed to expire files'],
    ['Expire trials', 'Expire trials', 'Failed to expire trials'],
    ['Test connection: Test storage connection', null, 'Failed to test S3 connection'],
    ['Test upload: Test storage upload', null, 'Failed to get upload URL'],
  ])('%s: says so beside its button, with the reason', async (button, confirm, text) => {
    show(<MaintenanceSection id="maintenance" title="Maintenance" />)
    press(button)
    if (confirm !== null) {
      const question = await screen.findByRole('alertdialog')
      fireEvent.click(within(question).getByRole('button', { name: confirm }))
    }
    const told = (await screen.findByText(text)).closest('[role="status"]')
    expect(told?.textContent).toContain(reason)
  })
})

describe('an act of maintenance that destroys something', () => {
  it.each([
    ['Clean up: Clean up expired files', 'every file whose link has expired and cannot be renewed'],
    ['Sanitize: Sanitize filenames', 'The old names are not kept'],
    ['Expire files', 'the bytes of every file that is over go now'],
    ['Expire trials', 'All users whose trial is over become Free'],
  ])(
    '%s: asks first, says what goes for whom, and is not done without a yes',
    async (button, says) => {
      const asked: string[] = []
      vi.stubGlobal('fetch', async (path: string, { method }: RequestInit) => {
        if (method !== 'GET') asked.push(path)
        return Response.json(path === endpoints.listMaintenance.path ? [] : {})
      })
      show(<MaintenanceSection id="maintenance" title="Maintenance" />)
      press(button)
      const question = await screen.findByRole('alertdialog')
      expect(question.textContent).toContain(says)
      expect(question.textContent).toMatch(/all users\b.*cannot be undone/i)
      fireEvent.click(within(question).getByRole('button', { name: 'Cancel' }))
      await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
      expect(asked).toEqual([])
    },
  )
})

describe('a failed change', () => {
  it('of a tier says so', async () => {
    show(<UserRow user={user} now={new Date()} onDelete={() => undefined} />)
    press('Make Premium: Mira Oake')
    await expectToast('Failed to change user tier')
  })

  it('of a tier that takes something away asks first', async () => {
    const premium: ListedUser = { ...user, tier: 'premium' }
    const asked = vi.fn(async () => Response.json({}, { status: 503 }))
    vi.stubGlobal('fetch', asked)
    show(<UserRow user={premium} now={new Date()} onDelete={() => undefined} />)
    press('Make Free: Mira Oake')
    const question = await screen.findByRole('alertdialog')
    expect(question.textContent).toContain('whose links have ended are deleted')
    fireEvent.click(within(question).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(asked).not.toHaveBeenCalled()
    press('Make Free: Mira Oake')
    const again = await screen.findByRole('alertdialog')
    fireEvent.click(within(again).getByRole('button', { name: 'Make Free' }))
    await waitFor(() => expect(asked).toHaveBeenCalled())
  })

  it('by a deletion says so, and keeps the question and what was typed', async () => {
    show(<Deletion />)
    press('Ask')
    const field = await screen.findByLabelText('Type this address to delete the account')
    fireEvent.change(field, { target: { value: 'mira@example.com' } })
    press('Delete')
    expect(await screen.findByText('This does not match the address above.')).toBeTruthy()
    fireEvent.change(field, { target: { value: user.email } })
    press('Delete')
    await expectToast('Failed to delete user')
    expect(screen.getByLabelText<HTMLInputElement>(/^Type this address/).value).toBe(user.email)
  })

  it('by a deletion of somebody who is gone says so, and counts no files', async () => {
    vi.stubGlobal('fetch', async () =>
      Response.json({ message: reason, code: 'USER_NOT_FOUND' }, { status: 404 }),
    )
    show(<Deletion />)
    press('Ask')
    const field = await screen.findByLabelText('Type this address to delete the account')
    fireEvent.change(field, { target: { value: user.email } })
    press('Delete')
    const toast = await screen.findByText('Mira Oake was already deleted')
    expect(toast.parentElement?.textContent).not.toContain('file')
  })

  it.each([
    ['premium_price', '9', 'Failed to update premium price'],
    ['app_version', 'v1', 'Failed to update app version'],
    ['email_signature', 'Us', 'Failed to update email signature'],
  ] as const)('of the setting %s says so, and keeps what was typed', async (key, value, text) => {
    show(<SettingForm setting={key} saved="8" />)
    fireEvent.change(screen.getByRole(key === 'premium_price' ? 'spinbutton' : 'textbox'), {
      target: { value },
    })
    press(screen.getByRole('button').getAttribute('aria-label') ?? '')
    await expectToast(text)
    expect(screen.getByDisplayValue(value)).toBeTruthy()
  })

  it('of a setting that is refused gives the reason below the field alone', async () => {
    vi.stubGlobal('fetch', async () =>
      Response.json({ message: reason, code: 'INVALID_INPUT' }, { status: 400 }),
    )
    show(<SettingForm setting="app_version" saved="v0" />)
    fireEvent.change(screen.getByRole('textbox'), { target: { value: 'v1' } })
    press('Save app version')
    const toast = await screen.findByText('Failed to update app version')
    expect(toast.closest('[role="alert"]')?.textContent).toBe('Failed to update app version')
    expect(screen.getAllByText(reason)).toHaveLength(1)
    expect(screen.getByRole('textbox').getAttribute('aria-invalid')).toBe('true')
  })
})
