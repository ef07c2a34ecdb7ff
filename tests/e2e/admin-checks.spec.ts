import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { openAdminCenter, section } from './support/admin.ts'
import { expect, test } from './support/test.ts'

test('the administrator sees a failing check, fixes the cause and checks again', async ({
  app,
  errors,
  page,
}) => {
  const folder = join(app.deps.config.dataDir, 'files')
  await rename(folder, `${folder}-aside`)
  await openAdminCenter(page, app)
  const checks = section(page, 'Checks')
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })
  const storage = checks.getByRole('listitem').filter({ has: heading('Storage') })
  await expect(storage).toContainText('Failing')
  await expect(storage).toContainText('ENOENT')
  await expect(storage).toContainText('Fix: Restore the folder')
  // Exactly one check fails.
  await expect(checks.getByRole('listitem').filter({ hasText: 'Failing' })).toHaveCount(1)
  // Failures come before warnings. Passing checks are collapsed.
  await expect(checks.getByRole('listitem').first()).toContainText('Failing')
  await expect(heading('Version')).toBeHidden()

  await rename(`${folder}-aside`, folder)
  await checks.getByRole('button', { name: 'Check again' }).focus()
  await page.keyboard.press('Enter')
  await expect(storage).toBeHidden()
  await expect(checks.getByRole('status')).toContainText(/^\d+ of \d+ OK · today, /)
  await expect(checks.getByRole('button', { name: 'Check again' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(storage).toContainText(/Wrote, read and removed an object in \d+ ms/)

  // If running the checks again fails, the earlier results stay.
  errors.expect(/500 \(Internal Server Error\).*\/api\/admin\/checks$/)
  await page.route('**/api/admin/checks', (route) => route.fulfill({ status: 500 }))
  await checks.getByRole('button', { name: 'Check again' }).click()
  await expect(checks.getByRole('alert')).toContainText('The checks could not be repeated.')
  await expect(storage).toBeVisible()
})
