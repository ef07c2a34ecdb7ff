import { expect, type Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { files, sessions, users } from '../../../src/server/db/schema.ts'
import { expireFiles } from '../../../src/server/files/expire-files.ts'
import { recordKeyPrefix } from '../../../src/web/uploads/records/record-key.ts'
import type { UploadRecord } from '../../../src/web/uploads/records/upload-record.ts'
import type { TestApp } from '../../support/app-server.ts'
import { makeFile, makePerson, signUp } from '../../support/make.ts'
import { newAddress, signUpForToken } from '../../support/signup.ts'
import { makeDownloads } from './analytics.ts'
import { brandingScreens } from './branding-screens.ts'
import { fileRow, openDashboard } from './dashboard.ts'
import { writeSparseFile } from './files.ts'
import type { Stage } from './stage.ts'
import { uploadsPanel } from './uploads.ts'

const hour = 3_600_000
const day = 24 * hour
const longName = `Minutes ${'of a very long meeting '.repeat(8)}`.slice(0, 196).concat('.pdf')

/** Makes files with links in every state, and with names of every kind. */
async function makeFilesInAllStates(app: TestApp) {
  const person = await makePerson(app, { tier: 'premium' })
  const ages = [
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
  for (const { age, ...options } of ages) {
    const file = await makeFile(person, options)
    const earlier = (date: string) => new Date(Date.parse(date) - age)
    await app.deps.db
      .update(files)
      .set({
        createdAt: earlier(file.createdAt),
        expiresAt: earlier(file.expiresAt),
        maxLifetimeAt: earlier(file.maxLifetimeAt),
      })
      .where(eq(files.id, file.id))
  }
  return person
}

/** Makes a person with the longest allowed names, who is signed in in many browsers. */
async function makePersonWithSessions(app: TestApp) {
  const person = await makePerson(app)
  const long = {
    firstName: 'Wolfeschlegelstein'.repeat(6).slice(0, 100),
    lastName: 'y '.repeat(50),
  }
  const email = `${'long'.repeat(15)}@${'mail.'.repeat(20)}example.org`
  await app.deps.db
    .update(users)
    .set({ ...long, email, emailVerified: true })
    .where(eq(users.id, person.id))
  const [row] = await app.deps.db.select().from(sessions).where(eq(sessions.userId, person.id))
  if (!row) throw new Error('no session')
  const others = Array.from({ length: 12 }, (_, at) => ({
    ...row,
    id: `${row.id}-${at}`,
    token: `${row.token}-${at}`,
    userAgent: at % 2 ? 'x'.repeat(400) : 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Firefox/133.0',
    ipAddress: '2001:db8:1234:5678:9abc:def0:1234:5678',
    updatedAt: new Date(row.updatedAt.getTime() - at * at * hour),
  }))
  await app.deps.db.insert(sessions).values(others)
  return { ...person, email }
}

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
async function leaveUploads(page: Page, ownerId: string) {
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

/** Makes the server seem to offer signing in with Google. */
function offerGoogle(page: Page) {
  return page.route('**/api/auth/ways', (route) =>
    route.fulfill({ json: { google: true, signup: 'open' } }),
  )
}

/** Every screen of the product, with the steps that open it. */
export const screens: Record<string, (stage: Stage) => Promise<void>> = {
  ...brandingScreens,
  'front page': async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('link', { name: 'Get Started' })).toBeVisible()
  },
  login: async ({ page }) => {
    await offerGoogle(page)
    await page.goto('/login?fault=google-not-linked')
    await expect(page.getByRole('alert')).toContainText('add Google on your account page')
    await expect(page.getByRole('link', { name: 'Sign in with Google' })).toBeVisible()
  },
  'forgot password': async ({ page }) => {
    await page.goto('/login')
    await page.getByRole('button', { name: 'Forgot password?' }).click()
    await expect(page.getByRole('button', { name: 'Send Reset Email' })).toBeVisible()
  },
  'reset password': async ({ page }) => {
    await page.goto('/reset-password?token=x')
    await expect(page.getByRole('button', { name: 'Reset Password' })).toBeVisible()
  },
  'an invalid reset link': async ({ page }) => {
    await page.goto('/reset-password')
    await expect(page.getByRole('link', { name: 'Back to Login' })).toBeVisible()
  },
  'login of an unverified address': async ({ app, noise, page }) => {
    noise.expect(/403 \(Forbidden\).*\/api\/auth\/login$/)
    app.deps.config.requireEmailVerification = true
    const { email, password } = await signUp(app)
    await page.goto('/login')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByRole('button', { name: 'Send the mail again' })).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText('Login failed')).toBeHidden()
  },
  'a verified address': async ({ app, page }) => {
    app.deps.config.requireEmailVerification = true
    await page.goto(`/verify-email?token=${await signUpForToken(app, { email: newAddress() })}`)
    await expect(page.getByRole('link', { name: 'Go to Login' })).toBeVisible()
  },
  'a verification that the network held up': async ({ noise, page }) => {
    noise.allow(/ERR_FAILED/)
    await page.route('**/api/auth/verify-email', (route) => route.abort())
    await page.goto('/verify-email?token=x')
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  },
  'closed signup': async ({ app, page }) => {
    app.deps.config.signup = 'closed'
    await page.goto('/signup')
    await expect(page.getByRole('heading', { name: 'Signing up is closed' })).toBeVisible()
  },
  'signup for some domains': async ({ app, page }) => {
    app.deps.config.signup = ['example.org', 'a-company-of-a-long-name.example.com']
    await page.goto('/signup')
    await expect(page.getByText(/^Only addresses of example\.org or/)).toBeVisible()
  },
  'signup with errors': async ({ page }) => {
    await offerGoogle(page)
    await page.goto('/signup')
    await expect(page.getByRole('link', { name: 'Sign up with Google' })).toBeVisible()
    await page.getByLabel('Email').fill('nowhere')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expect(page.getByText('Please enter a valid email address.')).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText('Password mismatch')).toBeHidden()
  },
  'account with long names and many sessions': async ({ app, page }) => {
    const person = await makePersonWithSessions(app)
    await offerGoogle(page)
    await openDashboard(page, app, person)
    await page.goto('/account')
    await page.getByRole('button', { name: 'Show 8 more' }).click()
    await expect(page.getByRole('button', { name: /^Sign out (?!everywhere)/ })).toHaveCount(13)
    await expect(page.getByRole('button', { name: 'Add Google' })).toBeVisible()
    await page.getByLabel('Current password', { exact: true }).fill('x')
    await page.getByLabel('New password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText("Passwords don't match")).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(page.getByText("Passwords don't match")).toBeHidden()
  },
  'account that cannot be loaded': async ({ app, noise, page }) => {
    noise.expect(/ERR_FAILED/)
    await openDashboard(page, app, await makePerson(app))
    await page.route(/\/api\/auth\/(sessions|user\/\w+)$/, (route) => route.abort())
    await page.goto('/account')
    for (const what of ['Your sessions', 'The ways to sign in', 'The figures']) {
      await expect(page.getByText(`${what} could not be loaded`)).toBeVisible()
    }
  },
  'dashboard without files': async ({ app, page }) => {
    await openDashboard(page, app, await makePerson(app))
    await expect(page.getByText('No files yet')).toBeVisible()
  },
  'dashboard while a file is uploaded': async ({ app, page }) => {
    await openDashboard(page, app, await makePerson(app))
    await page.route('**/storage/**', () => {})
    await page
      .getByLabel('Files to upload')
      .setInputFiles({ name: longName, mimeType: 'application/pdf', buffer: Buffer.alloc(1000) })
    await expect(page.getByRole('progressbar', { name: 'Overall progress' })).toBeVisible()
  },
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
  'my files in every state': async ({ app, page }) => {
    await openDashboard(page, app, await makeFilesInAllStates(app))
    await page.getByRole('tab', { name: 'My Files' }).click()
    await expect(page.getByText('Permanently expired')).toBeVisible()
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
  'the question before deleting': async ({ app, page }) => {
    await openDashboard(page, app, await makeFilesInAllStates(app))
    await page.getByRole('button', { name: `Delete ${longName}` }).click()
    await expect(page.getByRole('alertdialog')).toBeVisible()
  },
  'renewing a link': async ({ app, page }) => {
    await openDashboard(page, app, await makeFilesInAllStates(app))
    await fileRow(page, longName).getByRole('button', { name: 'Renew' }).click()
    await expect(page.getByRole('radiogroup', { name: 'New link for' })).toBeVisible()
  },
  'a renewed link': async ({ app, page }) => {
    await openDashboard(page, app, await makeFilesInAllStates(app))
    await fileRow(page, longName).getByRole('button', { name: 'Renew' }).click()
    await page.getByRole('button', { name: 'Renew', exact: true }).click()
    await expect(page.getByText('The old link no longer works.')).toBeVisible()
  },
  'the question before clearing the history': async ({ app, page }) => {
    const person = await makeFilesInAllStates(app)
    await app.deps.db.update(users).set({ tier: 'free' }).where(eq(users.id, person.id))
    await openDashboard(page, app, person)
    await page.getByRole('tab', { name: 'My Files' }).click()
    await page.getByRole('button', { name: 'Clear expired history' }).click()
    await expect(page.getByRole('alertdialog', { name: 'Delete 2 files' })).toBeVisible()
  },
  'a search that finds nothing': async ({ app, page }) => {
    await openDashboard(page, app, await makeFilesInAllStates(app))
    await page.getByRole('tab', { name: 'My Files' }).click()
    await page.getByRole('searchbox').fill('x'.repeat(200))
    await expect(page.getByText('No file found')).toBeVisible()
  },
  'the file manager with its settings, a selection and statistics': async ({ app, page }) => {
    await openDashboard(page, app, await makeFilesInAllStates(app))
    await page.getByRole('tab', { name: 'File Manager' }).click()
    await page.getByRole('button', { name: 'Settings' }).click()
    await expect(page.getByRole('switch', { name: 'Mail before a link expires' })).toBeVisible()
    await page.getByRole('checkbox', { name: 'Select all files' }).check()
    await page.getByRole('checkbox', { name: 'Select over.mp3' }).uncheck()
    await expect(page.getByRole('button', { name: 'Copy 4 links' })).toBeVisible()
    await page.getByRole('button', { name: `0 downloads, statistics of ${longName}` }).click()
    await expect(page.getByRole('heading', { name: /^No downloads in/ })).toBeVisible()
  },
  'a toast': async ({ app, page }) => {
    const person = await makePerson(app)
    await makeFile(person, { name: 'notes.txt' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await openDashboard(page, app, person)
    // With real time, the toast would disappear after 5 s.
    await page.clock.install()
    await fileRow(page, 'notes.txt').getByRole('button', { name: 'Copy' }).click()
    await expect(page.getByText('Link copied')).toBeVisible()
    await page.getByText('Link copied').hover()
  },
  'download page': async ({ app, page }) => {
    const file = await makeFile(await makePerson(app), { name: longName, type: 'application/pdf' })
    await page.goto(`/s/${file.shortCode}`)
    await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
  },
  'download page of a dead link': async ({ noise, page }) => {
    noise.expect(/404 \(Not Found\).*\/s\/nosuchcode$/)
    await page.goto('/s/nosuchcode')
    await expect(page.getByRole('heading', { name: 'Invalid download link' })).toBeVisible()
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
  'not found': async ({ noise, page }) => {
    noise.expect(/404 \(Not Found\).*\/no\/such\/page$/)
    await page.goto('/no/such/page')
    await expect(
      page.getByRole('heading', { name: 'There is nothing at this address' }),
    ).toBeVisible()
  },
}
