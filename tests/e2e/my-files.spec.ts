import { eq } from 'drizzle-orm'
import { files } from '../../src/server/db/schema.ts'
import { updateFiles } from '../support/file-rows.ts'
import { makeFile, makePerson } from '../support/make.ts'
import { insertFiles } from '../support/many-files.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { tabTo } from './support/keyboard.ts'
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
  await expect(page.getByRole('status').filter({ hasText: 'Loading your files' })).toBeVisible()
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
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 files deleted')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name: 'My Files' })).toBeFocused()
  await expect(page.getByRole('listitem').filter({ hasText: '.txt' })).toHaveCount(1)
  await expect(fileRow(page, 'third.txt')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Clear expired history' })).toBeHidden()
})

test('a list of thousands of files loads page by page and is searched on the server', async ({
  app,
  errors,
  page,
}) => {
  const person = await makePerson(app, { tier: 'premium' })
  await insertFiles(app, person.id, 2500)
  const requests: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/api/links') requests.push(search)
  })
  await openDashboard(page, app, person)
  await page.getByRole('tab', { name: 'My Files' }).click()
  await expect(page.getByText('2,500 active links')).toBeVisible()
  const findRow = (index: number) => fileRow(page, `Report ${index} of the working group.pdf`)
  await expect(findRow(1)).toBeVisible()
  const rows = page.getByRole('list', { name: 'My Files' }).getByRole('listitem')
  expect(await rows.count()).toBeLessThan(100)
  await expect(rows.first()).toHaveAttribute('aria-setsize', '2500')

  errors.expect(listErrorPattern)
  await page.route(listUrlPattern, (route) => route.fulfill(serverError), { times: 1 })
  await page.mouse.wheel(0, 1e6)
  const alert = page.getByRole('alert').filter({ hasText: 'The files after these could not be' })
  await alert.getByRole('button', { name: 'Try again' }).click()
  await expect(alert).toBeHidden()
  await expect(findRow(2500)).toBeVisible()
  await expect(rows.last()).toHaveAttribute('aria-posinset', '2500')
  expect(await rows.count()).toBeLessThan(100)
  // The two lists requested their first page, and scrolling requested three more pages, one of them
  // twice.
  expect(requests.length).toBeLessThanOrEqual(6)

  await page.getByRole('searchbox').fill('report 1234')
  await expect(findRow(1234)).toBeVisible()
  await expect(rows).toHaveCount(1)
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(rows.first()).toHaveAttribute('aria-setsize', '2500')
})
