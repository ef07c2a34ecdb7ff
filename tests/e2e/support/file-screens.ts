import { expect } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { computeDigests } from '../../../src/server/abuse/compute-digests.ts'
import { files } from '../../../src/server/db/schema.ts'
import type { TestApp } from '../../support/app-server.ts'
import { updateFiles } from '../../support/file-rows.ts'
import { sendFile, startLink } from '../../support/links.ts'
import { makeFile, makePerson, type Person } from '../../support/make.ts'
import { makeDownloads } from './analytics.ts'
import { fileRow, openDashboard } from './dashboard.ts'
import { writeSparseFile } from './files.ts'
import type { Screens } from './open-screens.ts'

const hour = 3_600_000
const day = 24 * hour
export const longName = `Minutes ${'of a very long meeting '.repeat(8)}`
  .slice(0, 196)
  .concat('.pdf')

/** Creates files with links in every state and with unusual names. */
export async function makeFilesInAllStates(app: TestApp) {
  const person = await makePerson(app, { tier: 'premium' })
  const fileOptions = [
    { name: longName, days: '7', type: 'application/pdf', age: 0 },
    {
      name: 'تقرير الاجتماع الأول.docx',
      days: '3',
      type: 'application/msword',
      age: 2 * day + hour,
    },
    { name: 'last-minutes.zip', days: '3', type: 'application/zip', age: 3 * day - hour / 2 },
    { name: 'private.png', days: '3', type: 'image/png', age: 10 * day },
    { name: 'over.mp3', days: '3', type: 'audio/mpeg', age: 31 * day },
    { name: 'a', days: '5', age: 0, bytes: new Uint8Array(0) },
  ]
  for (const { age, ...options } of fileOptions) {
    const file = await makeFile(person, options)
    const shiftDate = (date: string) => new Date(Date.parse(date) - age)
    await updateFiles(app.deps.db, eq(files.id, file.id), {
      createdAt: shiftDate(file.createdAt),
      expiresAt: shiftDate(file.expiresAt),
      maxLifetimeAt: shiftDate(file.maxLifetimeAt),
    })
  }
  return person
}

/** Makes a link with a password and a limit. Three of its four files have been uploaded. */
async function makeUploadingLink(person: Person): Promise<void> {
  const linkFiles = [longName, 'تقرير الاجتماع الأول.docx', 'a.zip', 'b.mov'].map((name) => ({
    name,
    bytes: new Uint8Array(1000),
  }))
  const options = { password: 'secret', maxDownloads: 5, message: 'For Monday.' }
  const { uploads } = await startLink(person, linkFiles, options)
  for (const [index, file] of linkFiles.slice(0, 3).entries()) {
    await sendFile(person, uploads[index], file)
  }
}

/** File lists and their dialogs. Up to 'analytics', each screen starts from the one before it. */
export const fileScreens: Screens = {
  'my files in every state, and a receipt': async ({ app, page }) => {
    const person = await makeFilesInAllStates(app)
    await computeDigests(app.deps)
    await openDashboard(page, app, person)
    await page.getByRole('tab', { name: 'My Files' }).click()
    await expect(page.getByText('Permanently expired', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: `receipt of ${longName}` }).click()
    await expect(page.getByText(/^[0-9a-f]{64}$/)).toBeVisible()
  },
  'the question before deleting': async ({ page }) => {
    await page.getByRole('button', { name: `Delete ${longName}` }).click()
    await expect(page.getByRole('alertdialog')).toBeVisible()
  },
  'renewing a link': async ({ page }) => {
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('alertdialog')).toBeHidden()
    await fileRow(page, longName).getByRole('button', { name: 'Renew' }).click()
    await expect(page.getByRole('radiogroup', { name: 'New link for' })).toBeVisible()
  },
  'a renewed link': async ({ page }) => {
    await page.getByRole('button', { name: 'Renew', exact: true }).click()
    await expect(page.getByText('The old link no longer works.')).toBeVisible()
  },
  'a search that finds nothing': async ({ page }) => {
    await page.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('dialog', { name: /^New link for/ })).toBeHidden()
    await page.getByRole('searchbox').fill('x'.repeat(200))
    await expect(page.getByText('No files found')).toBeVisible()
  },
  'the file manager with its settings, a selection and statistics': async ({ page }) => {
    await page.getByRole('tab', { name: 'File Manager' }).click()
    await page.getByRole('button', { name: 'Settings' }).click()
    await expect(page.getByRole('switch', { name: 'Email before a link expires' })).toBeVisible()
    await page.getByRole('checkbox', { name: 'Select all files' }).click()
    await page.getByRole('checkbox', { name: 'Select over.mp3' }).uncheck()
    await expect(page.getByRole('button', { name: 'Copy 4 links' })).toBeVisible()
    await page.getByRole('button', { name: `0 downloads, statistics of ${longName}` }).click()
    await expect(page.getByRole('heading', { name: /^No downloads in/ })).toBeVisible()
  },
  analytics: async ({ app, page }) => {
    const person = await makePerson(app, { tier: 'premium' })
    await makeDownloads(app, person)
    await openDashboard(page, app, person)
    await page.getByRole('tab', { name: 'Analytics' }).click()
    await expect(page.getByRole('heading', { name: /^412 downloads/ })).toBeVisible()
  },
  'upgrade to Premium': async ({ app, folder, page }) => {
    await openDashboard(page, app, await makePerson(app))
    const largeFilePath = await writeSparseFile(folder, longName, 500 * 1024 ** 2 + 1)
    // With the real clock, the toast would disappear after 5 s.
    await page.clock.install()
    await page.getByLabel('Files to upload').setInputFiles(largeFilePath)
    await expect(page.getByRole('button', { name: 'Upgrade Now' })).toBeVisible()
  },
}

/** A link and its dialogs. Each screen starts from the one before it. */
export const linkScreens: Screens = {
  'a link with several files, a password and a limit': async ({ app, page }) => {
    const person = await makePerson(app, { tier: 'premium' })
    await makeUploadingLink(person)
    await openDashboard(page, app, person)
    await page.getByRole('tab', { name: 'My Files' }).click()
    await page.getByRole('button', { name: /^4 files of / }).click()
    await expect(page.getByText('Waiting to be uploaded')).toBeVisible()
  },
  'editing a link': async ({ page }) => {
    await page.getByRole('button', { name: /^More for link of / }).click()
    await page.getByRole('menuitem', { name: 'Edit link' }).click()
    await expect(page.getByLabel('Download limit')).toHaveValue('5')
  },
  'a QR code': async ({ page }) => {
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('dialog')).toBeHidden()
    await page.getByRole('button', { name: /^More for link of / }).click()
    await page.getByRole('menuitem', { name: 'QR code' }).click()
    await expect(page.getByRole('img', { name: /^QR code of / })).toBeVisible()
  },
  'sending a link by email': async ({ app, page }) => {
    app.deps.config.smtpUrl = 'smtp://mail.example.org'
    const person = await makePerson(app, { tier: 'premium', emailVerified: true })
    await makeFile(person, { name: longName })
    await openDashboard(page, app, person)
    await page.getByRole('button', { name: /^More for link of / }).click()
    await page.getByRole('menuitem', { name: 'Send by email' }).click()
    await page.getByLabel('To', { exact: true }).fill('Grace <grace@example.org>, nobody')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(page.getByText('nobody is not an email address.')).toBeVisible()
  },
}
