import { expect } from '@playwright/test'
import { openLanding } from './landing.ts'
import type { Screens } from './stage.ts'

/** The public pages as a visitor sees them. Each function opens one screen. */
export const publicScreens: Screens = {
  'landing page': ({ page }) => openLanding(page),
  'not found': async ({ noise, page }) => {
    noise.expect(/404 \(Not Found\).*\/no\/such\/page$/)
    await page.goto('/no/such/page')
    await expect(
      page.getByRole('heading', { name: 'There is nothing at this address' }),
    ).toBeVisible()
  },
  'download page of a dead link': async ({ noise, page }) => {
    noise.expect(/404 \(Not Found\).*\/s\/nosuchcode$/)
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
  'API reference': async ({ page }) => {
    await page.goto('/api/docs#getUploadUrl')
    // All calls in the API reference look alike, and axe takes half a minute for all of them. So
    // only two calls stay.
    await page.evaluate(() => {
      for (const call of document.querySelectorAll('.call')) {
        if (!call.querySelector('#getUploadUrl, #listFiles')) call.remove()
      }
      const others = '.contents li li:nth-child(n + 4), .error-table tr:nth-child(n + 6)'
      for (const other of document.querySelectorAll(others)) other.remove()
    })
    const call = page.getByRole('region', { name: 'POST /api/files/get-upload-url' })
    for (const summary of await call.locator('summary').all()) await summary.press('Enter')
    await page.locator('.contents summary').first().click()
    await expect(call.getByRole('button', { name: 'Copy' }).first()).toBeVisible()
  },
  'feedback with faults': async ({ page }) => {
    await page.goto('/feedback')
    // With real time, the toast would disappear after 5 s.
    await page.clock.install()
    await page.getByRole('button', { name: 'Send Feedback' }).click()
    await expect(page.getByRole('alert')).toContainText('Missing information')
  },
}
