import { expect, type Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { files } from '../../../src/server/db/schema.ts'
import type { TestApp } from '../../support/app-server.ts'
import { makeClient, makeFile, makePerson } from '../../support/make.ts'
import { report } from '../../support/takedowns.ts'
import { openAdminCenter, section } from './admin.ts'
import { openDashboard } from './dashboard.ts'
import type { Screens } from './stage.ts'

const longName = `Minutes ${'of a very long meeting '.repeat(8)}`.slice(0, 196).concat('.pdf')

/** Opens the reports of two files with very long names and texts. Returns the section. */
async function openReports(app: TestApp, page: Page) {
  const owner = await makePerson(app)
  const bytes = new Uint8Array(1000)
  const file = await makeFile(owner, { name: longName, type: 'application/pdf', bytes })
  await makeFile(owner, { name: 'copy.pdf', bytes })
  const arabic = await makeFile(owner, { name: 'تقرير الاجتماع الأول.docx' })
  const visitor = makeClient(app)
  await report(visitor, arabic.shortCode, { reason: 'ليس لهم أن يشاركوه', website: 'x' })
  for (const reason of ['It is a trap.', 'word '.repeat(199), 'averylongword'.repeat(20)]) {
    const email = `${'long'.repeat(15)}@${'mail.'.repeat(20)}example.org`
    await report(visitor, file.shortCode, { reason, email })
  }
  await openAdminCenter(page, app)
  const reports = section(page, 'Reports')
  await expect(reports.getByRole('status')).toHaveText('2 open')
  return reports
}

/** The reports in the Admin Center. The second screen continues the first. */
export const reportScreens: Screens = {
  'reports in the Admin Center': async ({ app, page }) => {
    const reports = await openReports(app, page)
    await reports.getByRole('button', { name: /^Show all 3/ }).click()
    await expect(reports.getByText('It is a trap.')).toBeVisible()
  },
  'the question before a takedown': async ({ page }) => {
    const reports = section(page, 'Reports')
    await reports.getByRole('button', { name: `Take down ${longName}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take down' }).click()
    await expect(page.getByText('Please say why.')).toBeVisible()
  },
}

/**
 * The screens about reported files and files that were taken down. Each function opens one screen.
 */
export const abuseScreens: Screens = {
  'a report that was refused': async ({ app, noise, page }) => {
    const file = await makeFile(await makePerson(app), { name: longName })
    await page.goto(`/s/${file.shortCode}/report`)
    await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
    // The browser would refuse this address itself. With `novalidate`, the server must refuse it.
    await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
    await page.getByLabel('What is wrong with it?').fill('It came in a mail from “our bank”.')
    await page.getByLabel('Email').fill('ada')
    noise.expect(/400 \(Bad Request\).*\/report$/)
    await page.getByRole('button', { name: 'Send report' }).click()
    await expect(page.getByRole('alert').first()).toContainText('valid email address')
  },
  'a report that was sent': async ({ app, page }) => {
    const file = await makeFile(await makePerson(app), { name: longName })
    await page.goto(`/s/${file.shortCode}/report`)
    await page.getByLabel('What is wrong with it?').fill('It is a trap.')
    await page.getByRole('button', { name: 'Send report' }).click()
    await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible()
  },
  'reports that could not be loaded': async ({ app, noise, page }) => {
    noise.expect(/500 \(Internal Server Error\).*\/api\/admin\/reports\?/)
    await page.route(/\/api\/admin\/reports\?/, (route) => route.fulfill({ status: 500 }))
    await openAdminCenter(page, app)
    const failure = section(page, 'Reports').getByRole('alert')
    await expect(failure).toContainText('The reports could not be loaded')
  },
  'a file that was taken down': async ({ app, page }) => {
    const person = await makePerson(app)
    const file = await makeFile(person, { name: longName })
    const now = app.clock()
    const takedownReason = `It is malware.\n${'averylongword'.repeat(20)}`
    const changes = { takenDownAt: now, takedownReason, purgingAt: now, expiresAt: now }
    await app.deps.db.update(files).set(changes).where(eq(files.id, file.id))
    await openDashboard(page, app, person)
    await page.getByRole('button', { name: `Reason of ${longName}` }).click()
    await expect(page.getByText('If this is a mistake, write to')).toBeVisible()
  },
}
