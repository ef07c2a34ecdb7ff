import { makeFile, makePerson } from '../support/make.ts'
import { openAdminCenter, openSection, section } from './support/admin.ts'
import { typeInto } from './support/keyboard.ts'
import { expect, test } from './support/test.ts'

test('the administrator changes limits and the cap, and conflicts are rejected', async ({
  app,
  errors,
  page,
}) => {
  await makeFile(await makePerson(app), { bytes: new Uint8Array(900 * 1024) })
  await openAdminCenter(page, app)
  const limitsSection = section(page, 'Limits')
  const tierGroup = (name: string) => limitsSection.getByRole('group', { name, exact: true })
  const changeLimit = async (group: string, label: string, value: string) => {
    await tierGroup(group).getByLabel(label, { exact: true }).fill(value)
    await page.keyboard.press('Enter')
  }
  await expect(tierGroup('Free').getByLabel('File size', { exact: true })).toHaveValue('500MB')
  await expect(
    tierGroup('Premium').getByLabel('Expiry choices in days', { exact: true }),
  ).toHaveValue('3, 5, 7')
  await expect(
    limitsSection.getByText('storage takes 10,000 parts of 8MB at most').first(),
  ).toBeVisible()
  await expect(limitsSection.getByText('900 KB in files')).toBeVisible()

  await openSection(page, 'Limits')
  await typeInto(page, tierGroup('Free').getByLabel('Files at a time', { exact: true }), '0')
  await page.keyboard.press('Enter')
  await expect(tierGroup('Free').getByText('from 1 to 10,000, or unlimited').first()).toBeVisible()
  await changeLimit('Free', 'Files at a time', '7')
  await expect(tierGroup('Free').getByText('Saved. It was 3.')).toBeVisible()
  // Only the server detects conflicts between limits.
  errors.expect(/400 \(Bad Request\).*\/api\/admin\/settings$/)
  await changeLimit('Free', 'File size', '2GB')
  await expect(tierGroup('Free').getByText('Change the other tier first.')).toBeVisible()
  await changeLimit('Premium', 'File size', '2 gb')
  await expect(tierGroup('Premium').getByText('Saved. It was 1GB.')).toBeVisible()
  await expect(tierGroup('Premium').getByLabel('File size', { exact: true })).toHaveValue('2GB')
  await changeLimit('Free', 'File size', '2GB')
  await expect(tierGroup('Free').getByText('Saved. It was 500MB.')).toBeVisible()

  await changeLimit('All accounts together', 'Total storage', '1MB')
  await expect(limitsSection.getByText('87 % of 1MB.')).toBeVisible()

  await page.getByRole('link', { name: 'Back to Dashboard' }).click()
  await expect(page.getByText('Any type, up to 2GB each, 7 files at most')).toBeVisible()
})
