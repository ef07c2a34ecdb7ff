import { makeFile, makePerson } from '../support/make.ts'
import { chooseFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { writeRandomFile, writeSparseFile } from './support/files.ts'
import { recordShownTexts } from './support/shown-texts.ts'
import { expect, test } from './support/test.ts'

const freeLimitBytes = 500 * 1024 * 1024

test("a free user's fourth file is rejected next to the drop zone", async ({
  app,
  folder,
  errors,
  page,
}) => {
  errors.expect(/403 \(Forbidden\).*\/api\/files\/get-upload-url$/)
  const person = await makePerson(app)
  await makeFile(person, { name: 'one.txt' })
  await makeFile(person, { name: 'two.txt' })
  const thirdFile = await writeRandomFile(folder, 'three.txt', 1000)
  const fourthFile = await writeRandomFile(folder, 'four.txt', 1000)
  await openDashboard(page, app, person)
  await expect(page.getByText('Any type, up to 500MB each, 3 files at most')).toBeVisible()
  await expect(page.getByText('1 of 3 left')).toBeVisible()
  const shownTexts = await recordShownTexts(page)

  await page.getByRole('radio', { name: 'A link each' }).click()
  await chooseFiles(page, [thirdFile.path, fourthFile.path])
  // Spec §5: an upload error containing 'tier' is shown inline instead of as a toast.
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(
    'The free tier holds 3 files at most: delete files to make room. Upgrade to Premium for unlimited uploads.',
  )
  await expect.poll(() => shownTexts).toContain('1 of 2 files uploaded')
  await expect(fileRow(page, 'three.txt').getByRole('button', { name: 'Copy' })).toBeVisible()
  await expect(page.getByText('3 active links')).toBeVisible()
  expect(shownTexts).not.toContain('Upload Error')
  await expect(page.getByText('Free holds 3 files')).toBeVisible()
  await expect(page.getByText('None left: delete files to make room')).toBeVisible()
  // The error and its two remedies come before the upgrade offer.
  const text = (await page.getByRole('main').textContent()) ?? ''
  expect(text.indexOf('make room. Upgrade')).toBeLessThan(text.indexOf('Continue with Free'))

  await page.getByRole('button', { name: 'Delete one.txt' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('2 active links')).toBeVisible()
  await page.getByRole('button', { name: /^Try again.*four\.txt$/ }).click()
  await expect(fileRow(page, 'four.txt').getByRole('button', { name: 'Copy' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('alert')).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Upgrade to Premium' })).toBeHidden()
})

test('an oversized file is skipped and the others continue', async ({ app, folder, page }) => {
  const smallFile = await writeRandomFile(folder, 'small.txt', 1000)
  const largeFilePath = await writeSparseFile(folder, 'large.iso', freeLimitBytes + 1)
  const otherFile = await writeRandomFile(folder, 'other.txt', 1000)
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  const shownTexts = await recordShownTexts(page)

  await page.getByRole('radio', { name: 'A link each' }).click()
  await chooseFiles(page, [smallFile.path, largeFilePath, otherFile.path])
  const quotaMessage = page.getByText(
    'File upload failed - upgrade to Premium for 1GB files and unlimited uploads',
  )
  // A toast stays while the pointer is over it.
  await quotaMessage.hover()
  for (const { name } of [smallFile, otherFile]) {
    await expect(fileRow(page, name).getByRole('button', { name: 'Copy' })).toBeVisible()
  }
  await expect.poll(() => shownTexts).toContain('Upload completed successfully!')
  await expect(page.getByRole('heading', { name: 'Upgrade to Premium' })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Not uploaded' })).toContainText('large.iso')
  await expect(page.getByText('2 active links')).toBeVisible()
  await page.getByRole('button', { name: 'Continue with Free' }).click()
  await expect(page.getByRole('heading', { name: 'Upgrade to Premium' })).toBeHidden()
  await expect(
    page.getByRole('heading', { name: 'Drop files anywhere on this page' }),
  ).toBeFocused()
})

test('every screen shows the configured limits and that the server is full', async ({
  app,
  folder,
  errors,
  page,
}) => {
  errors.expect(/507.*\/api\/files\/get-upload-url$/)
  const newLimits = {
    free_max_files: '1',
    free_max_file_size: '2MB',
    free_expiration_days: '1, 2',
    premium_max_file_size: '20MB',
    storage_cap: '1MB',
  }
  const admin = await makePerson(app, { role: 'admin' })
  for (const [key, value] of Object.entries(newLimits)) {
    expect((await admin.post('/api/admin/settings', { key, value })).status).toBe(200)
  }
  await page.goto('/signup')
  await expect(
    page.getByText('Free: 1 file at a time, up to 2MB each, for 1 or 2 days.'),
  ).toBeVisible()

  const person = await makePerson(app)
  await openDashboard(page, app, person)
  await expect(page.getByText('Any type, up to 2MB each, 1 file at most')).toBeVisible()
  const choices = page.getByRole('radiogroup', { name: 'Expires after' })
  await expect(choices).toHaveText('1 day2 days')
  await expect(page.getByRole('radio', { name: '1 day' })).toBeChecked()

  await chooseFiles(page, [await writeSparseFile(folder, 'large.iso', 2 * 1024 * 1024 + 1)])
  await expect(
    page.getByText('File upload failed - upgrade to Premium for 20MB files and unlimited uploads'),
  ).toBeVisible()
  await expect(page.getByText('Free takes files up to 2MB')).toBeVisible()
  await expect(page.getByText('Unlimited files and 20MB uploads')).toBeVisible()
  await page.getByRole('button', { name: 'Continue with Free' }).click()

  // The administrator's cap leaves less space than the tier allows.
  const shownTexts = await recordShownTexts(page)
  await chooseFiles(page, [await writeSparseFile(folder, 'more.iso', 1024 * 1024 + 1)])
  await expect.poll(() => shownTexts.join('\n')).toContain('would exceed the storage cap')
})
