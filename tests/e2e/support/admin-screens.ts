import { expect } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { auditLog, feedback, files, users } from '../../../src/server/db/schema.ts'
import type { TestApp } from '../../support/app-server.ts'
import { makeFile, makePerson } from '../../support/make.ts'
import { openAdminCenter, section } from './admin.ts'
import type { Screens } from './stage.ts'

const longAddress = `${'x'.repeat(64)}@${'y'.repeat(60)}.${'z'.repeat(60)}.example`

/** Makes users, feedback and entries of the audit log whose texts are as long as possible. */
async function fillWithHardContent(app: TestApp): Promise<void> {
  const { db } = app.deps
  const long = await makePerson(app, { tier: 'premium' })
  const { id } = await makeFile(long)
  await db.update(files).set({ downloadCount: 1_234_567 }).where(eq(files.id, id))
  const names = { name: 'Wolfeschlegelstein'.repeat(11), email: longAddress }
  await db.update(users).set(names).where(eq(users.id, long.id))
  const at = app.clock()
  const message = `${'unbroken'.repeat(60)}\n\nتعليق طويل\n`.repeat(3)
  await db.insert(feedback).values([
    {
      ...names,
      name: names.name.slice(0, 100),
      category: 'bug',
      message,
      isSuspect: true,
      createdAt: at,
    },
    { name: 'Ada', email: 'a@example.org', message: 'Thanks.', isSuspect: false, createdAt: at },
  ])
  const details = { key: 'app_version', from: null, to: 'v'.repeat(40) }
  const ipAddress = '2001:db8:1234:5678:9abc:def0:1234:5678'
  const entry = { at, action: 'change-setting' as const, ipAddress, details }
  await db
    .insert(auditLog)
    .values(Array.from({ length: 21 }, () => ({ ...entry, actor: long.id, subject: long.id })))
}

/** The Admin Center with the longest of everything. The second screen continues the first. */
export const fullAdminScreens: Screens = {
  'Admin Center with the longest of everything': async ({ app, page }) => {
    await fillWithHardContent(app)
    await openAdminCenter(page, app)
    await section(page, 'Maintenance').getByRole('button', { name: 'Expire files' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Expire files' }).click()
    await expect(page.getByText('0 files expired: none was over')).toBeVisible()
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
    await expect(section(page, 'Feedback').getByText('Probably a robot')).toHaveCount(1)
    const log = section(page, 'Audit log')
    await log.getByRole('listitem').nth(1).getByRole('button').click()
    await expect(log.getByText('Recorded')).toBeVisible()
    await expect(log.getByRole('listitem')).toHaveCount(20)
    await log.getByRole('button', { name: 'Show older' }).click()
    await expect(log.getByText('That is all.')).toBeFocused()
    await expect(log.getByRole('listitem')).toHaveCount(22)
  },
  'the question before deleting a user': async ({ page }) => {
    await page.getByRole('button', { name: /^Delete Wolfe/ }).click()
    const question = page.getByRole('dialog', { name: /^Delete Wolfe/ })
    await question.getByRole('button', { name: 'Delete' }).click()
    await expect(question.getByText('This is not the address above.')).toBeVisible()
  },
}

/** The screens of the Admin Center. */
export const adminScreens: Screens = {
  'Admin Center that cannot be loaded': async ({ app, noise, page }) => {
    noise.expect(/500 \(Internal Server Error\)/)
    await page.route(/\/api\/(admin|settings)\//, (route) => route.fulfill({ status: 500 }))
    await openAdminCenter(page, app)
    for (const what of ['numbers', 'users', 'settings', 'limits', 'feedback', 'audit log']) {
      await expect(page.getByText(`The ${what} could not be loaded`)).toBeVisible()
    }
  },
}
