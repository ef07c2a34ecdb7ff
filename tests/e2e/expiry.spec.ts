import { expireFiles } from '../../src/server/files/expire-files.ts'
import { makeClient, makeFile, makePerson } from '../support/make.ts'
import { advanceClocks, setClocks } from './support/clocks.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { expect, test } from './support/test.ts'

const second = 1000
const hour = 3600 * second
const day = 24 * hour

test("a free user's link expires on every screen at the same time", async ({
  app,
  errors,
  page,
  visitor,
}) => {
  const person = await makePerson(app)
  const file = await makeFile(person, { name: 'agenda.pdf', type: 'application/pdf' })
  const visitorPage = await visitor()
  const pages = [page, visitorPage]
  await setClocks(app, pages)
  await openDashboard(page, app, person)
  await visitorPage.goto(`/s/${file.shortCode}`)
  const row = fileRow(page, 'agenda.pdf')

  await advanceClocks(app, pages, hour)
  await expect(row.getByText('3 days left')).toBeVisible()
  await expect(visitorPage.getByText('3 days left')).toBeVisible()
  await expect(row.locator('svg > rect').nth(1)).toHaveAttribute('fill', 'var(--accent)')
  await expect(visitorPage.locator('#link')).toHaveAttribute('data-tone', 'calm')

  await advanceClocks(app, pages, 2 * day)
  await expect(row.getByText('22 hours left')).toBeVisible()
  await expect(visitorPage.getByText('22 hours left')).toBeVisible()
  await expect(row.locator('svg > rect').nth(1)).toHaveAttribute('fill', 'var(--amber)')
  await expect(visitorPage.locator('#link')).toHaveAttribute('data-tone', 'amber')

  await advanceClocks(app, pages, 22 * hour + hour / 2)
  await expect(row.getByText('Less than 1 hour left')).toBeVisible()
  await expect(visitorPage.getByText('Less than 1 hour left')).toBeVisible()
  await expect(row.locator('svg > rect').nth(1)).toHaveAttribute('fill', 'var(--red)')
  await expect(visitorPage.locator('#link')).toHaveAttribute('data-tone', 'red')
  await expect(row.getByRole('button', { name: 'Copy' })).toBeVisible()
  await expect(row.getByRole('link', { name: 'Email link' })).toBeVisible()
  await expect(row.getByRole('button', { name: 'Renew' })).toHaveCount(0)

  const client = makeClient(app)
  const expiryTimeMs = Date.parse(file.expiresAt)
  app.clock.set(new Date(expiryTimeMs - 1))
  expect((await client.fetch(`/api/download/${file.shortCode}`)).status).toBe(200)
  app.clock.set(new Date(expiryTimeMs))
  const expiredResponse = await client.fetch(`/api/download/${file.shortCode}`)
  expect(expiredResponse.status).toBe(404)
  expect(await expiredResponse.json()).toMatchObject({ message: 'File not found or expired' })

  for (const openPage of pages) await openPage.clock.fastForward(hour / 2)
  await expect(row.getByText('Expired & deleted')).toBeVisible()
  await expect(row.getByText('Link closed')).toBeVisible()
  for (const name of ['Copy', 'Email link']) {
    const button = row.getByRole('button', { name })
    await expect(button).toBeDisabled()
    await expect(button).toHaveAccessibleDescription(/has expired/)
  }
  await expect(row.getByRole('link', { name: 'Email link' })).toBeHidden()
  await expect(page.getByText('0 active links')).toBeVisible()
  await expect(visitorPage.getByRole('heading', { name: 'Invalid download link' })).toBeVisible()
  await expect(visitorPage.getByRole('link', { name: 'Download File' })).toBeHidden()

  // The history shows the deletion receipt.
  await expireFiles(app.deps)
  await page.getByRole('tab', { name: 'My Files' }).click()
  await expect(page.getByRole('list', { name: 'Recent Files' })).toHaveCount(0)
  await row.getByRole('button', { name: 'receipt of agenda.pdf' }).click()
  await expect(row.getByText('Confirmed by storage.')).toBeVisible()
  await expect(row.locator(`time[datetime="${file.expiresAt}"]`)).toHaveCount(3)

  errors.expect(new RegExp(`404 \\(Not Found\\).*/s/${file.shortCode}`))
  const response = await visitorPage.reload()
  expect(response?.status()).toBe(404)
  await expect(visitorPage.getByRole('heading', { name: 'Invalid download link' })).toBeVisible()
})

test("a premium user's link becomes private, then expires permanently", async ({ app, page }) => {
  const person = await makePerson(app, { tier: 'premium' })
  const file = await makeFile(person, { name: 'agenda.pdf', days: '7' })
  await setClocks(app, [page])
  await openDashboard(page, app, person)
  const row = fileRow(page, 'agenda.pdf')
  // Sessions end after 14 days without use. Background requests from an open page don't extend
  // them.
  const keepSignedIn = () => page.request.get('/api/auth/user')

  await advanceClocks(app, [page], 7 * day)
  await keepSignedIn()
  await expect(row.getByText('Private (23 days to renew)')).toBeVisible()
  await expect(row.getByRole('button', { name: 'Copy' })).toBeDisabled()
  await expect(row.getByRole('button', { name: 'Renew' })).toBeEnabled()
  expect((await makeClient(app).fetch(`/api/download/${file.shortCode}`)).status).toBe(404)

  // Only five days are left of the maximum lifetime, so a seven-day renewal is cut short.
  await advanceClocks(app, [page], 9 * day)
  await keepSignedIn()
  await advanceClocks(app, [page], 9 * day)
  await keepSignedIn()
  await row.getByRole('button', { name: 'Renew' }).click()
  const dialog = page.getByRole('dialog', { name: 'agenda.pdf' })
  const renewableBar = dialog.locator('svg > rect').last()
  const lifetimeHint = dialog.getByText('This file is kept for at most 30 days')
  await expect(dialog.getByText('3 days left')).toBeVisible()
  await expect(renewableBar).not.toHaveAttribute('width', '0%')
  await expect(lifetimeHint).toBeHidden()
  await dialog.getByRole('radio', { name: '7 days' }).click()
  await expect(dialog.getByText('5 days left')).toBeVisible()
  await expect(renewableBar).toHaveAttribute('width', '0%')
  await expect(lifetimeHint).toContainText('so 7 days end with the file.')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  await advanceClocks(app, [page], 5 * day)
  await expect(row.getByText('Permanently expired', { exact: true })).toBeVisible()
  const renewButton = row.getByRole('button', { name: 'Renew' })
  await expect(renewButton).toBeDisabled()
  await expect(renewButton).toHaveAccessibleDescription(
    'This file has permanently expired, so its link cannot be renewed.',
  )
})
