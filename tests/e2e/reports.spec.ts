import { makeFile, makePerson } from '../support/make.ts'
import { reportLink } from '../support/takedowns.ts'
import { openAdminCenter, section } from './support/admin.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { expect, test } from './support/test.ts'

test('a report without scripts leads to a takedown: dead link, notified owner, blocked content', async ({
  app,
  errors,
  page,
  visitor,
}) => {
  const owner = await makePerson(app)
  const file = await makeFile(owner, { name: 'invoice.pdf' })
  const unreportedFile = await makeFile(owner, { name: 'list.csv' })
  const harmlessFile = await makeFile(owner, { name: 'minutes.pdf' })

  const link = await visitor({ javaScriptEnabled: false })
  await link.goto(`/s/${file.shortCode}`)
  await link.getByRole('link', { name: 'Report this file' }).click()
  await expect(link.getByText('invoice.pdf')).toBeVisible()
  const choices = link.getByRole('group', { name: 'What is wrong with it?' }).getByRole('radio')
  await expect(choices).toHaveCount(4)
  await choices.first().focus()
  await link.keyboard.press('Space')
  await link.keyboard.press('Tab')
  await link.keyboard.insertText('It came in a mail from “our bank”.')
  await link.keyboard.press('Tab')
  await expect(link.getByLabel('Email')).toBeFocused()
  await link.keyboard.press('Tab')
  await link.keyboard.press('Enter')
  await expect(link.getByRole('heading', { name: 'Thank you' })).toBeVisible()
  await link.getByRole('link', { name: 'Back to the file' }).click()
  await expect(link.getByRole('link', { name: 'Download File' })).toBeVisible()
  app.clock.advance(1000)
  await reportLink(owner, harmlessFile.shortCode, { reason: 'I do not like it.' })

  await openAdminCenter(page, app)
  const reportsSection = section(page, 'Reports')
  await expect(reportsSection.getByRole('status')).toHaveText('2 open')
  const sectionLinks = page.getByRole('navigation', { name: 'Sections' })
  await expect(sectionLinks.getByRole('link', { name: 'Reports 2 open' })).toBeVisible()
  const findRow = (name: string) => reportsSection.getByRole('listitem').filter({ hasText: name })
  await findRow('minutes.pdf').getByRole('button', { name: 'Dismiss' }).press('Enter')
  await expect(page.getByText('Report dismissed, 1 still open')).toBeVisible()
  await expect(findRow('minutes.pdf')).toHaveCount(0)
  await expect(reportsSection.getByRole('heading', { name: 'Reports' })).toBeFocused()

  await expect(findRow('invoice.pdf').first()).toContainText(
    'Malware: It came in a mail from “our bank”.',
  )
  const takedownButton = findRow('invoice.pdf').getByRole('button', {
    name: 'Take down invoice.pdf',
  })
  await takedownButton.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Take down invoice.pdf' })
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await dialog.getByLabel('Reason').fill('It is a trap.')
  await dialog.getByRole('button', { name: 'Take down' }).click()
  await expect(page.getByText('Its content is blocked.')).toBeVisible()
  await expect(reportsSection.getByText('No open reports')).toBeVisible()
  await expect(sectionLinks.getByRole('link', { name: 'Reports', exact: true })).toBeVisible()
  await expect(reportsSection.getByRole('heading', { name: 'Reports' })).toBeFocused()
  // The administrator can also take down a file that nobody has reported, by pasting its link.
  await reportsSection
    .getByLabel('Link or code')
    .fill(` ${new URL(page.url()).origin}/s/${unreportedFile.shortCode}?a=b `)
  await page.keyboard.press('Enter')
  const takedownDialog = page.getByRole('dialog', {
    name: `Take down /s/${unreportedFile.shortCode}`,
  })
  await takedownDialog.getByLabel('Reason').fill('A court says so.')
  await takedownDialog.getByRole('button', { name: 'Take down' }).click()
  await expect(reportsSection.getByLabel('Link or code')).toHaveValue('')
  await expect(section(page, 'Audit log')).toContainText(
    `Took /s/${unreportedFile.shortCode} down: A court says so.`,
  )
  await expect(section(page, 'Audit log')).toContainText(
    `Took /s/${file.shortCode} down: It is a trap.`,
  )

  errors.expect(new RegExp(`404 \\(Not Found\\).*/s/${file.shortCode}`))
  await link.reload()
  await expect(link.getByRole('heading', { name: 'Invalid download link' })).toBeVisible()
  expect((await app.sendQueuedEmails()).map(({ to }) => to.address)).toEqual([
    owner.email,
    owner.email,
  ])

  await page.context().clearCookies()
  await openDashboard(page, app, owner)
  await expect(fileRow(page, 'invoice.pdf')).toContainText('Taken down')
  await page.getByRole('button', { name: 'Reason of invoice.pdf' }).click()
  await expect(fileRow(page, 'invoice.pdf')).toContainText('It is a trap.')
  const reuploadedFile = {
    name: 'harmless.pdf',
    mimeType: 'text/plain',
    buffer: Buffer.from(file.bytes),
  }
  await page.getByLabel('Files to upload').setInputFiles(reuploadedFile)
  await expect(
    page.getByText('This file was taken down and cannot be shared here again.').first(),
  ).toBeVisible()
  // The content is blocked, so the page doesn't offer to try again.
  await expect(page.getByText('Not uploaded')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Try again/ })).toHaveCount(0)
})
