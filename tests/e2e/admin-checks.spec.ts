import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { openAdminCenter, section } from './support/admin.ts'
import { expect, test } from './support/test.ts'

test('the administrator sees a failing check, fixes the cause and checks again', async ({
  app,
  page,
}) => {
  const folder = join(app.deps.config.dataDir, 'files')
  await rename(folder, `${folder}-aside`)
  await openAdminCenter(page, app)
  const checksSection = section(page, 'Checks')
  const findHeading = (name: string) => page.getByRole('heading', { name, exact: true })
  const storageItem = checksSection.getByRole('listitem').filter({ has: findHeading('Storage') })
  await expect(storageItem).toContainText('Failing')
  await expect(storageItem).toContainText('ENOENT')
  await expect(storageItem).toContainText('Fix: Restore the folder')
  // Exactly one check fails.
  await expect(checksSection.getByRole('listitem').filter({ hasText: 'Failing' })).toHaveCount(1)
  // Failures come before warnings. Passing checks are collapsed.
  await expect(checksSection.getByRole('listitem').first()).toContainText('Failing')
  await expect(findHeading('Version')).toBeHidden()

  await rename(`${folder}-aside`, folder)
  await checksSection.getByRole('button', { name: 'Check again' }).focus()
  await page.keyboard.press('Enter')
  await expect(storageItem).toBeHidden()
  await expect(checksSection.getByRole('status')).toContainText(/^\d+ of \d+ OK · today, /)
  await expect(checksSection.getByRole('button', { name: 'Check again' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(storageItem).toContainText(/Wrote, read and removed an object in \d+ ms/)
})
