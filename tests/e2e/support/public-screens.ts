import { expect } from '@playwright/test'
import { sql } from 'drizzle-orm'
import { accountDeletedPath } from '../../../src/shared/pages.ts'
import { sharePath } from '../../../src/shared/public-pages.ts'
import { makeFile, makePerson } from '../../support/make.ts'
import { openLanding } from './landing.ts'
import type { Screens } from './open-screens.ts'

/** Screens of the public pages, as seen by a visitor. */
export const publicScreens: Screens = {
  'landing page': ({ page }) => openLanding(page),
  'landing page, once the account is deleted': async ({ page }) => {
    await page.goto(accountDeletedPath)
    await expect(
      page.getByText('Your account and everything in it have been deleted.'),
    ).toBeVisible()
  },
  'not found': async ({ errors, page }) => {
    errors.expect(/404 \(Not Found\).*\/no\/such\/page$/)
    await page.goto('/no/such/page')
    await expect(
      page.getByRole('heading', { name: 'There is nothing at this address' }),
    ).toBeVisible()
  },
  'download page of a dead link': async ({ errors, page }) => {
    errors.expect(/404 \(Not Found\).*\/s\/nosuchcode$/)
    await page.goto('/s/nosuchcode')
    await expect(page.getByRole('heading', { name: 'Invalid download link' })).toBeVisible()
    await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
  },
  'frequently asked questions': async ({ page }) => {
    await page.goto('/faq#plans')
    await expect(page.getByRole('rowheader', { name: 'Custom branding' })).toBeVisible()
  },
  'terms of service': async ({ page }) => {
    await page.goto('/terms')
    await expect(page.getByText('July 12, 2025')).toBeVisible()
  },
  'privacy policy': async ({ page }) => {
    await page.goto('/privacy')
    await expect(page.getByText('July 12, 2025')).toBeVisible()
  },
  'feedback with faults': async ({ page }) => {
    await page.goto('/feedback')
    // With the real clock, the toast would disappear after 5 s.
    await page.clock.install()
    await page.getByRole('button', { name: 'Send Feedback' }).click()
    await expect(page.getByRole('alert')).toContainText('Missing information')
  },
  // `submit()` skips the browser's validation, so the server has to reject the empty form.
  'feedback that was not sent': async ({ errors, page }) => {
    errors.expect(/400 \(Bad Request\).*\/feedback\/form$/)
    await page.evaluate(() => document.querySelector<HTMLFormElement>('#feedback')?.submit())
    await expect(page.getByRole('heading', { name: 'Failed to send feedback' })).toBeVisible()
  },
  'feedback that was sent': async ({ page }) => {
    await page.goto('/feedback')
    await page.getByLabel('Name*').fill('Ada')
    await page.getByLabel('Email*').fill('ada@example.org')
    await page.getByLabel('Message*').fill('A bell.')
    await page.evaluate(() => document.querySelector<HTMLFormElement>('#feedback')?.submit())
    await expect(page.getByRole('heading', { name: 'Feedback sent successfully!' })).toBeVisible()
  },
  'shared files that could not be taken': async ({ page }) => {
    await page.goto(sharePath)
    await expect(page.getByRole('heading', { name: 'Please share it again' })).toBeVisible()
  },
  'a page that cannot be shown': async ({ app, errors, page }) => {
    errors.expect(/500 \(Internal Server Error\).*\/s\/\w+$/)
    const { shortCode } = await makeFile(await makePerson(app))
    await app.deps.db.execute(sql`alter table files rename to away`)
    await page.goto(`/s/${shortCode}`)
    await app.deps.db.execute(sql`alter table away rename to files`)
    await expect(
      page.getByRole('heading', { name: 'This page cannot be shown right now' }),
    ).toBeVisible()
  },
}
