import { eq } from 'drizzle-orm'
import { files, users } from '../../src/server/db/schema.ts'
import { updateFiles } from '../support/file-rows.ts'
import { makeFile, makePerson } from '../support/make.ts'
import { makeDownloads } from './support/analytics.ts'
import { openDashboard } from './support/dashboard.ts'
import { expect, test } from './support/test.ts'

test('analytics shows insights, charts and tables, and links to files that expire soon', async ({
  app,
  page,
}) => {
  const person = await makePerson(app, { tier: 'premium' })
  await makeDownloads(app, person)
  await app.deps.db.update(users).set({ tier: 'free' }).where(eq(users.id, person.id))
  const requestedPaths: string[] = []
  page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
  const findAnalyticsScripts = () =>
    requestedPaths.filter((path) => path.includes('analytics-section'))
  await openDashboard(page, app, person)
  const tab = page.getByRole('tab', { name: 'Analytics' })

  // A free user sees the upgrade offer, and the page loads neither the code nor the data of
  // analytics.
  await tab.click()
  await expect(page.getByText('Analytics come with Premium')).toBeVisible()
  expect([
    ...findAnalyticsScripts(),
    ...requestedPaths.filter((path) => path === '/api/analytics'),
  ]).toEqual([])

  await page.getByRole('button', { name: 'Upgrade Now' }).click()
  const figure = page.getByRole('figure').filter({ hasText: 'Downloads per day' })
  await expect(figure.getByRole('heading')).toHaveText(
    /^412 downloads in 30 days, most on \d+ \w+$/,
  )
  await expect(page.getByRole('figure')).toHaveCount(3)
  expect(findAnalyticsScripts()).not.toEqual([])

  const chart = figure.locator('.chart')
  await expect(chart.locator('title').last()).toHaveText(/: 9 downloads$/)
  const firstDate = (await chart.locator('title').first().textContent())?.split(':')[0] ?? ''

  // The data table is in the DOM before it is visible.
  const table = page.getByRole('table', { name: 'Downloads per day' })
  await expect(table.getByRole('row').last()).toHaveText(`${firstDate}3`)
  await expect(table.getByRole('row')).toHaveCount(31)
  await page.getByRole('switch', { name: 'Show as table' }).press('Space')
  await expect(chart).toBeHidden()
  await expect(table.getByRole('row').nth(1)).toBeInViewport()

  const { id } = await makeFile(person, { name: 'soon.txt' })
  const expiresAt = new Date(app.clock().getTime() + 3_600_000)
  await updateFiles(app.deps.db, eq(files.id, id), { expiresAt })
  await page.reload()
  await page.getByRole('link', { name: 'Show them' }).press('Enter')
  const fileManagerHeading = page.getByRole('heading', { name: 'File Manager' })
  await expect(fileManagerHeading).toBeFocused()
  const rows = page.getByRole('list', { name: 'File Manager' }).getByRole('listitem')
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('soon.txt')
})
