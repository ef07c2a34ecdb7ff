import { expect, type Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { auditLog, feedback, files, users } from '../../../src/server/db/schema.ts'
import type { CheckResult } from '../../../src/shared/contract/checks.ts'
import type { TestApp } from '../../support/app-server.ts'
import { makeClient, makeFile, makePerson } from '../../support/make.ts'
import { reportLink } from '../../support/takedowns.ts'
import { openAdminCenter, section } from './admin.ts'
import { longName } from './file-screens.ts'
import type { Screens } from './open-screens.ts'

const longAddress = `${'x'.repeat(64)}@${'y'.repeat(60)}.${'z'.repeat(60)}.example`

/** Creates users, feedback and audit log entries with maximum-length text. */
async function fillWithLongContent(app: TestApp): Promise<void> {
  const { db } = app.deps
  const longNamedUser = await makePerson(app, { tier: 'premium' })
  const { id } = await makeFile(longNamedUser)
  await db.update(files).set({ downloadCount: 1_234_567 }).where(eq(files.id, id))
  const longFields = { name: 'Wolfeschlegelstein'.repeat(11), email: longAddress }
  await db.update(users).set(longFields).where(eq(users.id, longNamedUser.id))
  const now = app.clock()
  const message = `${'unbroken'.repeat(60)}\n\nتعليق طويل\n`.repeat(3)
  await db.insert(feedback).values([
    {
      ...longFields,
      name: longFields.name.slice(0, 100),
      category: 'bug',
      message,
      isSuspect: true,
      createdAt: now,
    },
    { name: 'Ada', email: 'a@example.org', message: 'Thanks.', isSuspect: false, createdAt: now },
  ])
  const details = { key: 'app_version', from: null, to: 'v'.repeat(40) }
  const ipAddress = '2001:db8:1234:5678:9abc:def0:1234:5678'
  const auditEntry = { at: now, action: 'change-setting' as const, ipAddress, details }
  await db.insert(auditLog).values(
    Array.from({ length: 21 }, () => ({
      ...auditEntry,
      actor: longNamedUser.id,
      subject: longNamedUser.id,
    })),
  )
}

async function makeReports(app: TestApp): Promise<void> {
  const owner = await makePerson(app)
  const bytes = new Uint8Array(1000)
  const file = await makeFile(owner, { name: longName, type: 'application/pdf', bytes })
  await makeFile(owner, { name: 'copy.pdf', bytes })
  const arabicFile = await makeFile(owner, { name: 'تقرير الاجتماع الأول.docx' })
  const visitor = makeClient(app)
  await reportLink(visitor, arabicFile.shortCode, { reason: 'ليس لهم أن يشاركوه', website: 'x' })
  for (const reason of ['It is a trap.', 'word '.repeat(199), 'averylongword'.repeat(20)]) {
    const email = `${'long'.repeat(15)}@${'mail.'.repeat(20)}example.org`
    await reportLink(visitor, file.shortCode, { reason, email })
  }
}

const corsRule = JSON.stringify({
  CORSRules: [
    {
      AllowedOrigins: ['https://files.example.org'],
      AllowedMethods: ['PUT', 'GET', 'HEAD'],
      AllowedHeaders: ['content-type', 'content-md5'],
      ExposeHeaders: ['etag'],
    },
  ],
})

/** Check results in every status, with the longest possible messages. */
const checkResults: CheckResult[] = [
  { name: 'Database', status: 'ok', message: 'Postgres 18.4 answers in 2 ms.', cure: '' },
  {
    name: 'CORS',
    status: 'failing',
    message: `Browsers refuse to send files from https://files.example.org to the bucket "${'bucket-'.repeat(9)}".`,
    cure: `Write this rule to a file cors.json and give it to the bucket: ${corsRule}`,
  },
  {
    name: 'Mail: lost emails',
    status: 'warning',
    message: `An email was lost in the last 7 days. To ${'a'.repeat(64)}@${'long.'.repeat(30)}example.org (signup): 550 ${'x'.repeat(200)}.`,
    cure: 'Read what the mail server said.',
  },
  {
    name: 'Jobs: files whose bytes are missing',
    status: 'failing',
    message: '2 files have no bytes in storage.',
    cure: 'Restore them from a backup.',
  },
  {
    name: 'Version',
    status: 'ok',
    message: `Mayfly 0.9.10 runs on ${'Node '.repeat(40)}.`,
    cure: '',
  },
]

async function cancelDialog(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
}

/**
 * Screens of the Admin Center. The dialogs come first, because axe is fast on a short page. Up to
 * 'Admin Center with the longest of everything', each screen starts from the one before it.
 */
export const adminScreens: Screens = {
  'adding a user': async ({ app, page }) => {
    await fillWithLongContent(app)
    await makeReports(app)
    await page.route('**/api/admin/checks', (route) => route.fulfill({ json: checkResults }))
    await openAdminCenter(page, app)
    await page.getByRole('button', { name: 'Add user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add user' })
    await dialog.getByLabel('Email').fill('nowhere')
    await dialog.getByRole('button', { name: 'Add user' }).click()
    await expect(dialog.getByText('Please enter a valid email address.')).toBeVisible()
  },
  'the question before deleting a user': async ({ page }) => {
    await cancelDialog(page)
    await page.getByRole('button', { name: /^Delete Wolfe/ }).click()
    const dialog = page.getByRole('dialog', { name: /^Delete Wolfe/ })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect(dialog.getByText('This does not match the address above.')).toBeVisible()
  },
  'the question before a takedown': async ({ page }) => {
    await cancelDialog(page)
    await section(page, 'Reports')
      .getByRole('button', { name: `Take down ${longName}` })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take down' }).click()
    await expect(page.getByText('Please give a reason.')).toBeVisible()
  },
  'Admin Center with the longest of everything': async ({ page }) => {
    await cancelDialog(page)
    const checksSection = section(page, 'Checks')
    await checksSection.getByRole('button', { name: 'Show what is OK (2)' }).click()
    await expect(checksSection.getByText('Postgres 18.4')).toBeVisible()
    const reportsSection = section(page, 'Reports')
    await expect(reportsSection.getByRole('status')).toHaveText('2 open')
    await reportsSection.getByRole('button', { name: /^Show all 3/ }).click()
    await expect(reportsSection.getByText('It is a trap.')).toBeVisible()
    await section(page, 'Maintenance').getByRole('button', { name: 'Expire files' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Expire files' }).click()
    await expect(page.getByText('Bytes of 0 files removed')).toBeVisible()
    await section(page, 'Maintenance')
      .getByRole('button', { name: /^Test connection/ })
      .click()
    await expect(page.getByText('Connected', { exact: true })).toBeVisible()
    await section(page, 'Settings').getByRole('textbox', { name: 'App version' }).fill('')
    await page.keyboard.press('Enter')
    await expect(page.getByText('The version must be one line')).toBeVisible()
    await section(page, 'Feedback')
      .getByRole('button', { name: /^Show all/ })
      .click()
    await expect(section(page, 'Feedback').getByText('Likely spam')).toHaveCount(1)
    const auditLog = section(page, 'Audit log')
    await auditLog.getByRole('listitem').nth(1).getByRole('button').click()
    await expect(auditLog.getByText('Recorded')).toBeVisible()
    await expect(auditLog.getByRole('listitem')).toHaveCount(20)
    await auditLog.getByRole('button', { name: 'Show older' }).click()
    await expect(auditLog.getByText('End of the list.')).toBeFocused()
    await expect(auditLog.getByRole('listitem')).toHaveCount(23)
  },
  'Admin Center that cannot be loaded': async ({ app, errors, page }) => {
    errors.expect(/500 \(Internal Server Error\)/)
    await page.route(/\/api\/(admin|settings)\//, (route) => route.fulfill({ status: 500 }))
    await openAdminCenter(page, app)
    for (const sectionName of [
      'statistics',
      'users',
      'settings',
      'limits',
      'feedback',
      'audit log',
      'reports',
      'requests',
    ]) {
      await expect(page.getByText(`The ${sectionName} could not be loaded`)).toBeVisible()
    }
    await expect(page.getByText('The last results could not be loaded.')).toBeVisible()
  },
}
