import { eq } from 'drizzle-orm'
import { files } from '../../src/server/db/schema.ts'
import { updateFiles } from '../support/file-rows.ts'
import { makeFile, makePerson } from '../support/make.ts'
import { maintenanceRow, openAdminCenter, startMaintenance } from './support/admin.ts'
import { expect, test } from './support/test.ts'

test('maintenance actions report their results, and show them again after a reload', async ({
  app,
  page,
}) => {
  const owner = await makePerson(app)
  const [expiredFile] = [await makeFile(owner), await makeFile(owner)]
  await updateFiles(app.deps.db, eq(files.id, expiredFile.id), {
    expiresAt: app.clock(),
    purgeAt: app.clock(),
    originalName: 'a\u0007b.txt',
  })
  await makePerson(app, { tier: 'premium', premiumTrialEndsAt: app.clock() })
  const admin = await openAdminCenter(page, app)
  const run = (title: string) => startMaintenance(page, title)
  /** Starts an action and confirms its dialog. */
  const runAndConfirm = async (title: string, buttonName: string) => {
    const resultText = await run(title)
    await page
      .getByRole('alertdialog', { name: title })
      .getByRole('button', { name: buttonName })
      .click()
    return resultText
  }
  const destructiveActions: [string, string, string][] = [
    ['Sanitize filenames', 'Sanitize', '1 name changed, 0 errors'],
    ['Expire files', 'Expire files', 'Bytes of 1 file removed'],
    ['Clean up expired files', 'Clean up', '1 file deleted'],
    ['Expire trials', 'Expire trials', '1 trial ended'],
  ]
  for (const [title, button, text] of destructiveActions) {
    await expect(await runAndConfirm(title, button)).toContainText(text)
  }
  const expectedTexts: [string, string | RegExp][] = [
    ['Test email', '1 email written'],
    ['Test storage connection', 'Connected'],
    ['Test storage upload', /1 MB sent in \d+\.\d s/],
  ]
  for (const [title, text] of expectedTexts) await expect(await run(title)).toContainText(text)
  expect((await app.sendQueuedEmails()).map(({ to }) => to.address)).toContain(admin.email)

  // After a reload the results come from the audit log.
  await page.reload()
  const lastResults: [string, string][] = [
    ['Sanitize filenames', 'Sanitized filenames: 1'],
    ['Expire trials', 'Expired trials: 1'],
    ['Test email', 'Sent a test email: OK'],
    ['Test storage upload', 'Tested a storage upload'],
  ]
  for (const [title, text] of lastResults) {
    await expect(maintenanceRow(page, title)).toContainText(text)
    await expect(maintenanceRow(page, title)).toContainText(/\d\d:\d\d:\d\d/)
  }
})
