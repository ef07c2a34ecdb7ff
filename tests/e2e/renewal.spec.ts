import { eq } from 'drizzle-orm'
import { files } from '../../src/server/db/schema.ts'
import { updateFiles } from '../support/file-rows.ts'
import { makeClient, makeFile, makePerson } from '../support/make.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { tabTo } from './support/keyboard.ts'
import { expect, test } from './support/test.ts'

const hour = 3_600_000
const day = 24 * hour

test('a premium user renews an expired link by keyboard, despite a wrong computer clock', async ({
  app,
  context,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const person = await makePerson(app, { tier: 'premium' })
  const file = await makeFile(person, { name: 'Concert master.flac', type: 'audio/flac' })
  await makeFile(person, { name: 'notes.txt' })
  await updateFiles(app.deps.db, eq(files.id, file.id), {
    expiresAt: new Date(app.clock().getTime() - hour),
  })
  // The page's clock is five days ahead. By that clock, every link has expired.
  await page.clock.install({ time: new Date(app.clock().getTime() + 5 * day) })
  const press = (key: string) => page.keyboard.press(key)

  await openDashboard(page, app, person)
  await expect(fileRow(page, 'notes.txt').getByText('3 days left')).toBeVisible()
  await tabTo(page, page.getByRole('tab', { name: 'Upload' }))
  await press('ArrowRight')
  await tabTo(page, page.getByRole('searchbox', { name: 'Search by name' }))
  await page.keyboard.type('MASTER')
  await expect(fileRow(page, 'notes.txt')).toBeHidden()
  await expect(page.getByText('1 link found')).toBeAttached()

  const row = fileRow(page, 'Concert master.flac')
  await expect(row.getByText('Private (30 days to renew)')).toBeVisible()
  await expect(row.getByRole('button', { name: 'Copy' })).toHaveAccessibleDescription(
    'This link has ended. Renew it to get a new one.',
  )
  await tabTo(page, row.getByRole('button', { name: 'Renew' }))
  await press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Concert master.flac' })
  await expect(dialog).toContainText('It gets a completely new link. The old one ended on')
  // The dialog previews the renewal before a duration is chosen.
  await expect(dialog.getByText('3 days left')).toBeVisible()
  await tabTo(page, dialog.getByRole('radio', { name: '3 days' }))
  await press('ArrowRight')
  await press('ArrowRight')
  await expect(dialog.getByText('7 days left')).toBeVisible()
  await tabTo(page, dialog.getByRole('button', { name: 'Renew' }))
  await press('Enter')

  await expect(dialog.getByRole('heading')).toHaveText('New link for Concert master.flac')
  await expect(dialog.getByRole('button', { name: 'Copy' })).toBeFocused()
  await press('Enter')
  await expect(page.getByText('Link copied')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  const code = new URL(link).pathname.split('/').at(-1)
  expect(code).not.toBe(file.shortCode)
  await press('Escape')
  await expect(dialog).toBeHidden()
  await expect(row.locator(':focus')).toHaveCount(1)
  await expect(row.getByText('7 days left')).toBeVisible()
  await expect(row.getByRole('link', { name: `/s/${code}` })).toBeVisible()

  const download = (code = '') => makeClient(app).fetch(`/api/download/${code}`)
  expect((await download(code)).status).toBe(200)
  expect((await download(file.shortCode)).status).toBe(404)
})
