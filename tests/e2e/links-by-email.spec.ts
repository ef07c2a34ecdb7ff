import type { ParsedMail } from 'mailparser'
import { openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { startEmailWorkers } from '../../src/server/jobs/jobs.ts'
import { serveApp } from '../support/app-server.ts'
import { saveBrand } from '../support/brands.ts'
import { requestSending } from '../support/link-emails.ts'
import { makeFile, makePerson } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { getPostgresUrl } from './support/run.ts'
import { test as base, expect } from './support/test.ts'

/** The server sends its emails to a real SMTP server. */
const test = base.extend<{ smtp: TestSmtpServer }>({
  smtp: async ({}, use) => {
    const smtp = await startSmtpServer()
    await use(smtp)
    await smtp.close()
  },
  app: async ({ smtp }, use) => {
    const database = await createDatabase(getPostgresUrl(), 'migrated')
    const env = { SMTP_URL: smtp.url, REQUIRE_EMAIL_VERIFICATION: 'off' }
    const app = await serveApp(database, { env, openQueue: openJobQueue })
    if (!app.jobQueue) throw new Error('Expected a job queue.')
    await startEmailWorkers(app.deps, app.jobQueue)
    await use(app)
    app.deps.mailer.close()
    await app.close()
  },
})

function findEmail({ received }: TestSmtpServer, address: string): ParsedMail | undefined {
  return received.find(({ to }) =>
    [to ?? []].flat().some(({ value }) => value.some((recipient) => recipient.address === address)),
  )
}

test('a link goes to several people by email, and one of them stops such emails', async ({
  app,
  page,
  smtp,
  visitor,
}) => {
  const sender = await makePerson(app, { tier: 'premium', emailVerified: true })
  await saveBrand(sender, { name: 'Lovelace & Co', accent: '#e11d48', message: '' })
  const file = await makeFile(sender, { name: 'minutes.pdf', type: 'application/pdf' })
  await openDashboard(page, app, sender)
  const row = fileRow(page, file.originalName)
  await row.getByRole('button', { name: 'More for link of minutes.pdf' }).click()
  await page.getByRole('menuitem', { name: 'Send by email' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send minutes.pdf' })
  await dialog.getByLabel('To').fill('Grace <grace@example.org>, alan@example.org')
  await dialog.getByLabel('Message').fill('As promised.\nRead page 3.')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('2 emails are on the way.')).toBeVisible()
  await expect(dialog).toBeHidden()

  await expect.poll(() => smtp.received.length).toBe(2)
  const email = findEmail(smtp, 'grace@example.org')
  expect(email?.subject).toBe('Lovelace & Co sent you a file')
  expect(email?.replyTo?.value).toEqual([{ name: 'Lovelace & Co', address: sender.email }])

  // The recipient has no account.
  const recipientPage = await visitor()
  await recipientPage.goto(`/s/${file.shortCode}`)
  await expect(recipientPage.getByRole('heading', { name: 'minutes.pdf' })).toBeVisible()
  const html = typeof email?.html === 'string' ? email.html : ''
  const optOutUrl = /href="([^"]*\/opt-out\/[^"]*)"/.exec(html)?.[1] ?? ''
  await recipientPage.goto(optOutUrl)
  await recipientPage.getByRole('button', { name: 'Stop these emails' }).click()
  await expect(recipientPage.getByRole('heading', { name: 'Emails stopped' })).toBeVisible()

  const other = await makeFile(sender, { name: 'plans.pdf' })
  const to = ['grace@example.org', 'alan@example.org']
  expect((await requestSending(sender, other.shortCode, to)).status).toBe(202)
  await expect.poll(() => smtp.received.length).toBe(3)
  expect(
    smtp.attemptedRecipients.filter((address) => address === 'grace@example.org'),
  ).toHaveLength(1)
})

test("an address that the mail server rejects is shown in the link's row", async ({
  app,
  page,
  smtp,
}) => {
  const sender = await makePerson(app, { tier: 'premium', emailVerified: true })
  const file = await makeFile(sender, { name: 'minutes.pdf' })
  smtp.setReaction({ recipient: 550 })
  expect((await requestSending(sender, file.shortCode, ['nobody@example.org'])).status).toBe(202)
  await expect
    .poll(async () => (await sender.fetch('/api/links')).text())
    .toContain('nobody@example.org')
  await openDashboard(page, app, sender)
  await fileRow(page, file.originalName)
    .getByRole('button', { name: '1 email not delivered' })
    .click()
  await expect(page.getByText('could not be delivered to nobody@example.org.')).toBeVisible()
})
