// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listedUser as user } from '../../../tests/support/listed-user.ts'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { DeleteUserDialog } from './delete-user-dialog.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

function getDeletionRequests() {
  return page.requests.filter(({ call }) => call.startsWith('DELETE'))
}

test('requires the email address to be typed before deleting a user, and sends it to the server', async () => {
  page.on('DELETE /api/admin/users/mira', () => ({ message: 'Gone.', deletedFiles: 3 }))
  page.show(<DeleteUserDialog user={user} onClosed={() => undefined} />)
  const dialog = await screen.findByRole('dialog')
  expect(dialog.textContent).toContain('3 files with their links are deleted with this account')
  expect(dialog.textContent).toContain('its 2 open sessions, uploads under way')
  const emailField = within(dialog).getByLabelText('Type this address to delete the account')
  const pressDelete = () => fireEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  for (const wrongEmail of ['', 'mira@example.com']) {
    fireEvent.change(emailField, { target: { value: wrongEmail } })
    pressDelete()
    await within(dialog).findByText(/^This does not match the address above\.|^Please /)
  }
  expect(getDeletionRequests()).toEqual([])
  fireEvent.change(emailField, { target: { value: ' Mira@example.org ' } })
  pressDelete()
  await screen.findByText('Mira Oake was deleted')
  expect(getDeletionRequests()).toMatchObject([
    { call: 'DELETE /api/admin/users/mira', body: { email: 'Mira@example.org' } },
  ])
})
