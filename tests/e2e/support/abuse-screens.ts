import { expect } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { files } from '../../../src/server/db/schema.ts'
import { makeFile, makePerson } from '../../support/make.ts'
import { openDashboard } from './dashboard.ts'
import type { Stage } from './stage.ts'

const longName = `Minutes ${'of a very long meeting '.repeat(8)}`.slice(0, 196).concat('.pdf')

/** The screens about files that were reported or taken down, with the steps that open them. */
export const abuseScreens: Record<string, (stage: Stage) => Promise<void>> = {
  'a report that was refused': async ({ app, noise, page }) => {
    const file = await makeFile(await makePerson(app), { name: longName })
    await page.goto(`/s/${file.shortCode}/report`)
    await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
    // The browser itself would refuse this address.
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
