import { expect, type Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { files } from '../../../src/server/db/schema.ts'
import { updateFiles } from '../../support/file-rows.ts'
import { makeFile, makePerson } from '../../support/make.ts'
import { fileRow, openDashboard } from './dashboard.ts'
import { longName } from './file-screens.ts'
import { writeSparseFile } from './files.ts'
import type { Screens } from './open-screens.ts'

const hour = 3_600_000
const day = 24 * hour

/** Simulates dragging files over the page or away from it. */
function dragFiles(page: Page, type: 'dragenter' | 'dragleave') {
  return page.evaluate((type) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['a'], 'a.txt'))
    document.body.dispatchEvent(new DragEvent(type, { bubbles: true, dataTransfer }))
  }, type)
}

/**
 * Screens of the dashboard. A screen that doesn't open the dashboard starts from the screen before
 * it.
 */
export const dashboardScreens: Screens = {
  'dashboard without files': async ({ app, page }) => {
    await openDashboard(page, app, await makePerson(app))
    await expect(page.getByText('No files yet')).toBeVisible()
  },
  'files that are dragged over the page': async ({ page }) => {
    await dragFiles(page, 'dragenter')
    await expect(page.getByText('Drop to upload')).toBeVisible()
  },
  'dashboard while a file is uploaded': async ({ page }) => {
    await dragFiles(page, 'dragleave')
    await expect(page.getByText('Drop to upload')).toBeHidden()
    await page.route('**/storage/**', () => {})
    await page
      .getByLabel('Files to upload')
      .setInputFiles({ name: longName, mimeType: 'application/pdf', buffer: Buffer.alloc(1000) })
    await expect(page.getByRole('progressbar', { name: 'Overall progress' })).toBeVisible()
  },
  'dashboard after a refusal': async ({ app, errors, page }) => {
    errors.expect(/403 \(Forbidden\).*get-upload-url$/)
    const person = await makePerson(app)
    for (const name of ['one.txt', 'two.txt', 'three.txt']) await makeFile(person, { name })
    await openDashboard(page, app, person)
    await page
      .getByLabel('Files to upload')
      .setInputFiles({ name: longName, mimeType: 'application/pdf', buffer: Buffer.alloc(1000) })
    await expect(page.getByRole('main').getByRole('alert')).toContainText('tier')
  },
  'file too large': async ({ app, folder, page }) => {
    await openDashboard(page, app, await makePerson(app, { tier: 'premium' }))
    const largeFilePath = await writeSparseFile(folder, longName, 1024 ** 3 + 1)
    await page.getByLabel('Files to upload').setInputFiles(largeFilePath)
    await expect(page.getByRole('button', { name: 'Try Another File' })).toBeVisible()
  },
  'analytics without files': async ({ page }) => {
    await page.getByRole('tab', { name: 'Analytics' }).click()
    await expect(page.getByText('No data yet')).toBeVisible()
  },
  'a trial in its last hours, of the administrator': async ({ app, page }) => {
    const now = app.clock().getTime()
    const trialFields = {
      premiumTrialStartedAt: new Date(now - 29 * day),
      premiumTrialEndsAt: new Date(now + 9.5 * hour),
    }
    await openDashboard(
      page,
      app,
      await makePerson(app, { tier: 'premium', role: 'admin', ...trialFields }),
    )
    await expect(page.getByText('9 hours left')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Switch to Free' })).toBeVisible()
  },
  'a trial that is over, and a file that was taken down': async ({ app, page }) => {
    const now = app.clock()
    const premiumTrialStartedAt = new Date(now.getTime() - 30 * day)
    const person = await makePerson(app, { premiumTrialStartedAt, premiumTrialEndsAt: now })
    const file = await makeFile(person, { name: longName })
    const takedownReason = `It is malware.\n${'averylongword'.repeat(20)}`
    const changes = { takenDownAt: now, takedownReason, purgingAt: now, expiresAt: now }
    await updateFiles(app.deps.db, eq(files.id, file.id), changes)
    await openDashboard(page, app, person)
    await expect(page.getByText('Trial expired')).toBeVisible()
    await page.getByRole('button', { name: `Reason of ${longName}` }).click()
    await expect(page.getByText('If this is a mistake, write to')).toBeVisible()
  },
  'files that could not be loaded': async ({ app, errors, page }) => {
    errors.expect(/500 \(Internal Server Error\).*\/api\/links\?/)
    await page.route(/\/api\/links\?/, (route) => route.fulfill({ status: 500 }))
    await openDashboard(page, app, await makePerson(app))
    await page.getByRole('tab', { name: 'My Files' }).click()
    await expect(page.getByRole('alert')).toContainText('Your files could not be loaded')
  },
  'new files, and a toast': async ({ app, page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await openDashboard(page, app, await makePerson(app))
    await page.getByRole('radio', { name: 'A link each' }).click()
    await page.getByLabel('Files to upload').setInputFiles(
      [longName, 'notes.txt'].map((name) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.alloc(1000),
      })),
    )
    await expect(fileRow(page, longName).getByText('New', { exact: true })).toBeVisible()
    const copyLinksButton = page.getByRole('button', { name: 'Copy 2 links' })
    await expect(copyLinksButton).toBeVisible()
    // With the real clock, the toast would disappear after 5 s.
    await page.clock.install()
    await copyLinksButton.click()
    await expect(page.getByText('2 links copied')).toBeVisible()
    await page.getByText('2 links copied').hover()
  },
}
