import { expect } from '@playwright/test'
import { makePerson } from '../../support/make.ts'
import { openDashboard } from './dashboard.ts'
import { saveFileOnLanding } from './landing.ts'
import type { Screens } from './open-screens.ts'

/**
 * Screens with a file that waits in the browser until the visitor signs in. Each screen starts from
 * the one before it.
 */
export const waitingScreens: Screens = {
  'signup while a file waits': async ({ folder, page }) => {
    const { name } = await saveFileOnLanding({ folder, page })
    await expect(page.getByText(`${name} is waiting in this browser.`)).toBeVisible()
  },
  'closed signup while a file waits': async ({ app, page }) => {
    app.deps.config.signup = 'closed'
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Signup is closed' })).toBeVisible()
    await expect(page.getByText('is waiting in this browser.')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Sign Up' })).toBeHidden()
  },
  'landing page with a file that waits': async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('button', { name: 'Remove' })).toBeVisible()
  },
  'dashboard while a file waits': async ({ app, page }) => {
    await openDashboard(page, app, await makePerson(app))
    await expect(page.getByRole('button', { name: 'Upload it' })).toBeVisible()
  },
}
