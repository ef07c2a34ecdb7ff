import { expect } from '@playwright/test'
import { computeDigests } from '../../../src/server/abuse/compute-digests.ts'
import { createOptOutToken } from '../../../src/server/link-emails/opt-out.ts'
import { saveBrand } from '../../support/brands.ts'
import { makeLink, sendFile, startLink } from '../../support/links.ts'
import { makeFile, makePerson } from '../../support/make.ts'
import { openDashboard } from './dashboard.ts'
import { longName, makeFilesInAllStates } from './file-screens.ts'
import { storeUploadRecords } from './left-uploads.ts'
import type { Screens } from './open-screens.ts'
import { openPanel, uploadsPanel } from './uploads.ts'

/**
 * Link pages, and the uploads panel on the dashboard and on a download page. The second screen with
 * the panel starts from the first.
 */
export const downloadScreens: Screens = {
  'download page': async ({ app, page }) => {
    const file = await makeFile(await makePerson(app), { name: longName, type: 'application/pdf' })
    await page.goto(`/s/${file.shortCode}`)
    await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
  },
  'download page with a brand': async ({ app, page }) => {
    const person = await makePerson(app, { tier: 'premium' })
    const message = 'The photographs for the opening.\nPlease credit the photographer.'
    await saveBrand(person, { name: 'Harbour & Pine '.repeat(4), accent: '#ffd400', message })
    const { shortCode } = await makeFile(person, { name: `${'long '.repeat(39)}.pdf` })
    await page.goto(`/s/${shortCode}`)
    await expect(page.getByText('Please credit the photographer.')).toBeVisible()
  },
  'download page of several files': async ({ app, page }) => {
    const names = [longName, 'تقرير.txt', ...Array.from({ length: 8 }, (_, n) => `photo ${n}.jpg`)]
    const files = names.map((name) => ({ name, bytes: new Uint8Array(1000) }))
    const options = { title: 'The opening', message: 'Hello,\nplease choose.', maxDownloads: 3 }
    const code = await makeLink(await makePerson(app, { tier: 'premium' }), files, options)
    await page.goto(`/s/${code}`)
    await expect(page.getByText('3 downloads left')).toBeVisible()
  },
  'download page during the upload': async ({ app, page }) => {
    const person = await makePerson(app)
    const names = ['film.mp4', 'notes.txt']
    const files = names.map((name) => ({ name, bytes: new Uint8Array(1000) }))
    const { link, uploads } = await startLink(person, files)
    await sendFile(person, uploads[1], { name: '', bytes: new Uint8Array(1000) })
    await page.goto(`/s/${link.shortCode}`)
    await expect(page.getByText('1000 Bytes of 2 KB')).toBeVisible()
  },
  'a wrong password': async ({ app, errors, page }) => {
    const files = [{ name: 'plan.txt', bytes: new Uint8Array(9) }]
    const code = await makeLink(await makePerson(app), files, { password: 'open sesame' })
    await page.goto(`/s/${code}`)
    await page.getByLabel('Password').fill('open barley')
    errors.expect(/401 \(Unauthorized\)/)
    await page.getByRole('button', { name: 'Unlock' }).click()
    await expect(page.getByText('Wrong password. Please try again.')).toBeVisible()
  },
  'a report that was refused': async ({ app, errors, page }) => {
    const file = await makeFile(await makePerson(app), { name: longName })
    await page.goto(`/s/${file.shortCode}/report`)
    await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
    // The browser would reject 'ada' as an email address. With `novalidate` the server has to.
    await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
    await page.getByLabel('Malware').check()
    await page.getByLabel('Details').fill('It came in a mail from “our bank”.')
    await page.getByLabel('Email').fill('ada')
    errors.expect(/400 \(Bad Request\).*\/report$/)
    await page.getByRole('button', { name: 'Send report' }).click()
    await expect(page.getByRole('alert').first()).toContainText('valid email address')
  },
  'a report that was sent': async ({ app, page }) => {
    const file = await makeFile(await makePerson(app), { name: longName })
    await page.goto(`/s/${file.shortCode}/report`)
    await page.getByLabel('Something else').check()
    await page.getByLabel('Details').fill('It is a trap.')
    await page.getByRole('button', { name: 'Send report' }).click()
    await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible()
  },
  'the page that stops links by email': async ({ app, page }) => {
    const token = createOptOutToken(app.deps.secret, 'ada@example.org')
    await page.goto(`/opt-out/${token}`)
    await expect(page.getByRole('button', { name: 'Stop these emails' })).toBeVisible()
  },
  'links by email that were stopped': async ({ page }) => {
    await page.getByRole('button', { name: 'Stop these emails' }).click()
    await expect(page.getByRole('heading', { name: 'Emails stopped' })).toBeVisible()
  },
  'uploads panel in every state': async ({ app, page }) => {
    const person = await makeFilesInAllStates(app)
    await storeUploadRecords(page, person.id)
    await openDashboard(page, app, person)
    await expect(uploadsPanel(page).getByText('Upload failed with status 403')).toBeVisible()
  },
  'uploads panel on a download page': async ({ app, page }) => {
    await computeDigests(app.deps)
    const link = page.getByRole('link', { name: /^\/s\// }).first()
    await page.goto((await link.getAttribute('href')) ?? '')
    await page.getByText('Checksum (SHA-256)').click()
    await expect(uploadsPanel(page)).toBeVisible()
    await openPanel(page)
    await expect(uploadsPanel(page).getByText('lecture-07.mp4').first()).toBeVisible()
  },
  'a download that failed': async ({ app, errors, page }) => {
    const person = await makePerson(app)
    const file = await makeFile(person)
    errors.expect(/404 \(Not Found\).*\/api\/download\//)
    await page.goto(`/s/${file.shortCode}`)
    await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
    await person.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    // With the real clock, the toast would disappear after 5 s.
    await page.clock.install()
    await page.getByRole('link', { name: 'Download File' }).click()
    await expect(page.getByRole('alert')).toContainText('Download failed')
  },
}
