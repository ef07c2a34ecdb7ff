import { readFile } from 'node:fs/promises'
import { withKey } from '../support/keys.ts'
import { json, makeClient, makePerson } from '../support/make.ts'
import { openDashboard } from './support/dashboard.ts'
import { connectionErrorPattern } from './support/network.ts'
import { expect, test } from './support/test.ts'

test('an API key is created, copied, given to ShareX, used and revoked, also on a phone', async ({
  app,
  context,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.setViewportSize({ width: 390, height: 844 })
  await openDashboard(page, app, await makePerson(app))
  await page.goto('/account')
  const section = page.getByRole('region', { name: 'API keys' })
  await section.getByRole('button', { name: 'New API key' }).click()

  const dialog = page.getByRole('dialog', { name: /API key$/ })
  for (const name of ['List files and links', 'Upload, change and renew'])
    await dialog.getByRole('switch', { name }).click()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await expect(dialog.getByText('Please enter a name in one line.')).toBeVisible()
  await expect(dialog.getByText('Choose what the key may do.')).toBeVisible()
  await dialog.getByLabel('Name', { exact: true }).fill('Screenshots')
  await dialog.getByRole('switch', { name: 'Upload, change and renew' }).click()
  await dialog.getByLabel('Expires').selectOption('in 30 days')
  await dialog.getByRole('button', { name: 'Create key' }).click()

  await expect(dialog.getByText('Copy it now. It is not shown again.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Copy key' }).click()
  await expect(page.getByText('API key copied')).toBeVisible()
  const key = await page.evaluate(() => navigator.clipboard.readText())
  await expect(dialog.getByText(key, { exact: true })).toBeVisible()
  const downloadPromise = page.waitForEvent('download')
  await dialog.getByRole('link', { name: 'download a file with this key' }).click()
  const download = await downloadPromise
  expect(download.suggestedFilename()).toBe('sharex.sxcu')
  const uploader = JSON.parse(await readFile(await download.path(), 'utf8'))
  const { width = 0 } = (await dialog.boundingBox()) ?? {}
  expect(width).toBeLessThanOrEqual(390)
  await dialog.getByRole('button', { name: 'Done' }).click()

  const url = uploader.RequestURL.replace('{filename}', 'shot.png')
  const put = () => fetch(url, { method: 'PUT', headers: uploader.Headers, body: 'abc' })
  const response = await put()
  expect(response.status).toBe(201)
  const { shortCode } = await json<{ shortCode: string }>(response)
  const link = uploader.URL.replace('{json:shortCode}', shortCode)
  expect(await (await fetch(link)).text()).toBe('abc')
  const { status } = await withKey(makeClient(app), key).fetch('/api/files')
  expect(status).toBe(403)

  await page.reload()
  await expect(section.getByRole('listitem')).toHaveText(
    /^Screenshots.*files:write.*last used on.*expires on/,
  )
  expect(await page.locator('body').textContent()).not.toContain(key)
  const scrollsSideways = () =>
    document.documentElement.scrollWidth > document.documentElement.clientWidth
  expect(await page.evaluate(scrollsSideways)).toBe(false)
  await section.getByRole('button', { name: 'Revoke Screenshots' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.getByText('API key revoked')).toBeVisible()
  await expect(section.getByText('No API keys')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'API keys' })).toBeFocused()
  expect((await put()).status).toBe(401)
})

test('an error is shown even if the view of errors cannot be loaded', async ({
  app,
  context,
  errors,
  page,
}) => {
  errors.expect(connectionErrorPattern)
  await page.route('**/toast-view-*.js', (route) => route.abort())
  await openDashboard(page, app, await makePerson(app))
  await page.goto('/account')
  await page.getByRole('button', { name: 'New API key' }).click()
  const dialog = page.getByRole('dialog', { name: 'New API key' })
  await dialog.getByLabel('Name', { exact: true }).fill('Backup')
  await context.setOffline(true)
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await expect(page.getByText('API key not created')).toBeVisible()
  await expect(dialog).toBeVisible()
})
