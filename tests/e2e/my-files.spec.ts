import { eq } from 'drizzle-orm'
import { files } from '../../src/server/db/schema.ts'
import { updateFiles } from '../support/file-rows.ts'
import { makeFile, makePerson } from '../support/make.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { confirmByKeyboard, tabTo } from './support/keyboard.ts'
import { expect, test } from './support/test.ts'

const serverError = { status: 500, json: { message: 'Internal server error' } }
const listUrlPattern = /\/api\/links\?/
const listErrorPattern = /500 \(Internal Server Error\).*\/api\/links\?/

test('a free user retries a failed list, learns why a link ended, and clears the history', async ({
  app,
  errors,
  page,
}) => {
  const person = await makePerson(app)
  for (const name of ['first.txt', 'second.txt', 'third.txt']) {
    const { id } = await makeFile(person, { name })
    const expiredNow = { expiresAt: app.clock() }
    if (name !== 'third.txt') await updateFiles(app.deps.db, eq(files.id, id), expiredNow)
  }
  const pendingFailure = Promise.withResolvers<void>()
  await page.route(listUrlPattern, async (route) => {
    await pendingFailure.promise
    await route.fulfill(serverError)
  })
  errors.expect(listErrorPattern)
  await openDashboard(page, app, person)
  await page.getByRole('tab', { name: 'My Files' }).click()
  const panel = page.getByRole('tabpanel', { name: 'My Files' })
  await expect(panel.getByText('Loading your files')).toBeAttached()
  pendingFailure.resolve()
  await expect(page.getByRole('alert')).toContainText('Your files could not be loaded')
  await page.unroute(listUrlPattern)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('1 active link')).toBeVisible()
  const copyButton = fileRow(page, 'first.txt').getByRole('button', { name: 'Copy' })
  await expect(copyButton).toBeDisabled()
  await copyButton.hover()
  await expect(
    page.getByText('so there is no link to share').filter({ visible: true }),
  ).toHaveCount(1)

  await tabTo(page, page.getByRole('button', { name: 'Clear expired history' }))
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('alertdialog', { name: 'Delete 2 files' })
  await expect(dialog).toContainText(
    'Are you sure you want to delete 2 file(s)? This action cannot be undone.',
  )
  await confirmByKeyboard(page, dialog)
  await expect(page.getByText('2 files deleted')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name: 'My Files' })).toBeFocused()
  await expect(page.getByRole('listitem').filter({ hasText: '.txt' })).toHaveCount(1)
  await expect(fileRow(page, 'third.txt')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Clear expired history' })).toBeHidden()
})
