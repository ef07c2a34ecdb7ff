import { expect, type Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { files, users } from '../../../src/server/db/schema.ts'
import { expireFiles } from '../../../src/server/files/expire-files.ts'
import { recordKeyPrefix } from '../../../src/web/uploads/records/record-key.ts'
import type { UploadRecord } from '../../../src/web/uploads/records/upload-record.ts'
import { makeFile, makePerson } from '../../support/make.ts'
import { abuseScreens, reportScreens } from './abuse-screens.ts'
import { accountScreens, newPasswordScreens } from './account-screens.ts'
import { adminScreens, fullAdminScreens } from './admin-screens.ts'
import { makeDownloads } from './analytics.ts'
import { brandingScreens } from './branding-screens.ts'
import { checkScreens } from './check-screens.ts'
import { fileRow, keepNewFilesMarked, openDashboard } from './dashboard.ts'
import { fileScreens, longName, makeFilesInAllStates, newAccountScreens } from './file-screens.ts'
import { writeSparseFile } from './files.ts'
import { publicScreens, waysInScreens } from './public-screens.ts'
import type { Screens } from './stage.ts'
import { feedbackScreens, textScreens } from './text-screens.ts'
import { uploadsPanel } from './uploads.ts'

const hour = 3_600_000
const day = 24 * hour

const lecture: UploadRecord = {
  id: '1',
  ownerId: '',
  batch: 'one drop',
  path: 'background',
  fileName: 'lecture-07.mp4',
  fileSize: 812 * 1024 ** 2,
  fileType: 'video/mp4',
  identity: { name: 'lecture-07.mp4', size: 812 * 1024 ** 2, lastModified: 0, sample: null },
  pasted: false,
  expirationDays: 3,
  ticket: null,
  restarted: false,
  uploadStartTime: null,
  progress: 31,
  uploadedBytes: 251 * 1024 ** 2,
  status: 'paused',
  need: 'file',
  lastActivity: 0,
  error: null,
}

/** Stores uploads in the browser as an earlier visit leaves them, in every possible state. */
export async function leaveUploads(page: Page, ownerId: string) {
  const records: UploadRecord[] = [
    { ...lecture },
    { ...lecture, id: '2', fileName: longName, need: 'sign-in' },
    { ...lecture, id: '3', status: 'failed', need: null, error: 'Upload failed with status 403' },
    {
      ...lecture,
      id: '4',
      fileName: 'تقرير الاجتماع الأول.docx',
      fileSize: 0,
      status: 'completed',
      need: null,
      progress: 100,
      uploadedBytes: 0,
    },
  ]
  const kept = records.map((record) => [
    recordKeyPrefix + record.id,
    JSON.stringify({ ...record, ownerId, lastActivity: Date.now() }),
  ])
  await page.addInitScript((kept) => {
    for (const [key = '', record = ''] of kept) localStorage.setItem(key, record)
    localStorage.setItem('mayfly-uploads-panel', 'open')
  }, kept)
}

/** Screens that need a page of their own: they change its clock, its calls or the server. */
const loneScreens: Screens = {
  ...accountScreens,
  ...adminScreens,
  ...brandingScreens,
  ...abuseScreens,
  ...publicScreens,
  ...checkScreens,
  ...feedbackScreens,
  'dashboard after a refusal': async ({ app, noise, page }) => {
    noise.expect(/403 \(Forbidden\).*get-upload-url$/)
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
    const large = await writeSparseFile(folder, longName, 1024 ** 3 + 1)
    await page.getByLabel('Files to upload').setInputFiles(large)
    await expect(page.getByRole('button', { name: 'Try Another File' })).toBeVisible()
  },
  'upgrade to Premium': async ({ app, folder, page }) => {
    await openDashboard(page, app, await makePerson(app))
    const large = await writeSparseFile(folder, longName, 500 * 1024 ** 2 + 1)
    // With real time, the toast would disappear after 5 s.
    await page.clock.install()
    await page.getByLabel('Files to upload').setInputFiles(large)
    await expect(page.getByRole('button', { name: 'Upgrade Now' })).toBeVisible()
  },
  'a trial in its last hours, of the administrator': async ({ app, page }) => {
    const now = app.clock().getTime()
    const trial = {
      premiumTrialStartedAt: new Date(now - 29 * day),
      premiumTrialEndsAt: new Date(now + 9.5 * hour),
    }
    await openDashboard(
      page,
      app,
      await makePerson(app, { tier: 'premium', role: 'admin', ...trial }),
    )
    await expect(page.getByText('9 hours left')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Switch to Free' })).toBeVisible()
  },
  'a trial that is over': async ({ app, page }) => {
    const premiumTrialEndsAt = app.clock()
    const premiumTrialStartedAt = new Date(premiumTrialEndsAt.getTime() - 30 * day)
    await openDashboard(
      page,
      app,
      await makePerson(app, { tier: 'free', premiumTrialStartedAt, premiumTrialEndsAt }),
    )
    await expect(page.getByText('Trial expired')).toBeVisible()
  },
  'uploads panel in every state': async ({ app, page }) => {
    const person = await makeFilesInAllStates(app)
    await leaveUploads(page, person.id)
    await openDashboard(page, app, person)
    await expect(uploadsPanel(page).getByText('Upload failed with status 403')).toBeVisible()
  },
  'uploads panel on a download page': async ({ app, page }) => {
    const person = await makePerson(app)
    const file = await makeFile(person, { name: longName })
    await leaveUploads(page, person.id)
    await openDashboard(page, app, person)
    await page.goto(`/s/${file.shortCode}`)
    await page.getByText('Checksum (SHA-256)').click()
    await expect(uploadsPanel(page).getByText('lecture-07.mp4').first()).toBeVisible()
  },
  'a checksum': async ({ app, page }) => {
    const person = await makePerson(app)
    await makeFile(person, { name: longName })
    await openDashboard(page, app, person)
    await page.getByRole('button', { name: `SHA-256 of ${longName}` }).click()
    await expect(page.getByText(/^[0-9a-f]{64}$/)).toBeVisible()
  },
  'the receipt of a deletion': async ({ app, page }) => {
    const person = await makePerson(app)
    const file = await makeFile(person, { name: longName })
    const expiresAt = app.clock()
    await app.deps.db.update(files).set({ expiresAt }).where(eq(files.id, file.id))
    await expireFiles(app.deps)
    await openDashboard(page, app, person)
    await page.getByRole('button', { name: `Receipt of ${longName}` }).click()
    await expect(page.getByText('Storage has confirmed that nothing is left.')).toBeVisible()
  },
  analytics: async ({ app, page }) => {
    const person = await makePerson(app, { tier: 'premium' })
    await makeDownloads(app, person)
    await openDashboard(page, app, person)
    await page.getByRole('tab', { name: 'Analytics' }).click()
    await page.getByRole('slider', { name: 'Downloads per day' }).focus()
    await page.keyboard.press('Home')
    await expect(page.getByRole('heading', { name: /^412 downloads/ })).toBeVisible()
  },
  'the question before clearing the history': async ({ app, page }) => {
    const person = await makeFilesInAllStates(app)
    await app.deps.db.update(users).set({ tier: 'free' }).where(eq(users.id, person.id))
    await openDashboard(page, app, person)
    await page.getByRole('tab', { name: 'My Files' }).click()
    await page.getByRole('button', { name: 'Clear expired history' }).click()
    await expect(page.getByRole('alertdialog', { name: 'Delete 2 files' })).toBeVisible()
  },
  'files that could not be loaded': async ({ app, noise, page }) => {
    noise.expect(/500 \(Internal Server Error\).*\/api\/files\?/)
    await page.route(/\/api\/files\?/, (route) => route.fulfill({ status: 500 }))
    await openDashboard(page, app, await makePerson(app))
    await page.getByRole('tab', { name: 'My Files' }).click()
    await expect(page.getByRole('alert')).toContainText('Your files could not be loaded')
  },
  'new files, and a toast': async ({ app, page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await keepNewFilesMarked(page)
    await openDashboard(page, app, await makePerson(app))
    await page.getByLabel('Files to upload').setInputFiles(
      [longName, 'notes.txt'].map((name) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.alloc(1000),
      })),
    )
    await expect(fileRow(page, longName).getByText('New', { exact: true })).toBeVisible()
    const together = page.getByRole('button', { name: 'Copy 2 links' })
    await expect(together).toBeVisible()
    // With real time, the toast would disappear after 5 s.
    await page.clock.install()
    await together.click()
    await expect(page.getByText('2 links copied')).toBeVisible()
    await page.getByText('2 links copied').hover()
  },
  'download page': async ({ app, page }) => {
    const file = await makeFile(await makePerson(app), { name: longName, type: 'application/pdf' })
    await page.goto(`/s/${file.shortCode}`)
    await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
  },
  'a download that failed': async ({ app, noise, page }) => {
    const person = await makePerson(app)
    const file = await makeFile(person)
    noise.expect(/404 \(Not Found\).*\/api\/download\//)
    await page.goto(`/s/${file.shortCode}`)
    await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
    await person.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    // With real time, the toast would disappear after 5 s.
    await page.clock.install()
    await page.getByRole('link', { name: 'Download File' }).click()
    await expect(page.getByRole('alert')).toContainText('Download failed')
  },
}

/**
 * Every screen of the product, in sets. The screens of a set are opened one after another in one page,
 * and may go on from the one before, which saves a server, a page and an account for each.
 */
export const screenSets: readonly Screens[] = [
  fileScreens,
  textScreens,
  waysInScreens,
  newPasswordScreens,
  newAccountScreens,
  fullAdminScreens,
  reportScreens,
  ...Object.entries(loneScreens).map(([name, open]) => ({ [name]: open })),
]
