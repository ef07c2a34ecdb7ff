import { makePerson } from '../support/make.ts'
import { fileRow } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { pressOn, tabTo } from './support/keyboard.ts'
import { removePicker } from './support/picker.ts'
import { expect, test } from './support/test.ts'

test('keeping a file, logging in, uploading, copying and deleting work by keyboard alone', async ({
  app,
  context,
  folder,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { email, password } = await makePerson(app)
  const file = await writeRandomFile(folder, 'notes.txt', 1000)
  const draftFile = await writeRandomFile(folder, 'draft.txt', 1000)
  const press = (key: string) => page.keyboard.press(key)
  await removePicker(page)

  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Get Started' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  const chooserPromise = page.waitForEvent('filechooser')
  await pressOn(page, page.getByRole('button', { name: 'Choose a file' }))
  await (await chooserPromise).setFiles(draftFile.path)
  await expect(page.getByText('draft.txt is waiting in this browser.')).toBeVisible()
  await pressOn(page, page.getByRole('main').getByRole('link', { name: 'Sign in' }))
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await tabTo(page, page.getByLabel('Email'))
  await page.keyboard.type(email)
  await tabTo(page, page.getByLabel('Password', { exact: true }))
  await page.keyboard.type(password)
  await press('Enter')
  await expect(
    page.locator('#content').getByRole('heading', { name: 'Welcome back, Ada' }),
  ).toBeVisible()

  await tabTo(page, page.getByRole('button', { name: 'Upload it' }))
  await pressOn(page, page.getByRole('button', { name: 'Remove' }))
  await expect(page.getByText('is waiting in this browser')).toBeHidden()

  await tabTo(page, page.getByRole('tab', { name: 'Upload' }), 'Shift+Tab')
  await press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'My Files' })).toHaveAttribute('aria-selected', 'true')
  await press('ArrowLeft')
  await tabTo(page, page.getByRole('button', { name: 'Choose files' }))
  const dialog = page.waitForEvent('filechooser')
  await press('Enter')
  await (await dialog).setFiles(file.path)
  const row = fileRow(page, file.name)
  await tabTo(page, row.getByRole('button', { name: 'Copy' }))
  await press('Enter')
  await expect(page.getByText('Link copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${app.url}/s/`)

  await tabTo(page, row.getByRole('button', { name: 'Delete notes.txt' }))
  await press('Enter')
  const confirmDialog = page.getByRole('alertdialog')
  await expect(confirmDialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await press('Escape')
  await expect(confirmDialog).toBeHidden()
  await expect(row.getByRole('button', { name: 'Delete notes.txt' })).toBeFocused()
  await press('Space')
  await expect(confirmDialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await press('Tab')
  await expect(confirmDialog.getByRole('button', { name: 'Delete' })).toBeFocused()
  await press('Enter')
  await expect(row).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Recent Files' })).toBeFocused()
})
