import { expect } from '@playwright/test'
import { saveBrand } from '../../support/brands.ts'
import { makeFile, makePerson } from '../../support/make.ts'
import { openDashboard } from './dashboard.ts'
import type { Screens } from './stage.ts'

/** The screens of a brand, with the longest of everything. */
export const brandingScreens: Screens = {
  'branding of a Premium account': async ({ app, page }) => {
    const person = await makePerson(app, { tier: 'premium' })
    await saveBrand(person, { name: 'W'.repeat(60), accent: '#ffd400', message: 'x'.repeat(280) })
    await openDashboard(page, app, person)
    await page.goto('/account')
    const form = page.getByRole('region', { name: 'Branding' })
    await form.getByLabel('Accent colour', { exact: true }).fill('red')
    await form.getByRole('button', { name: 'Save branding' }).click()
    await expect(form.getByText('Must be a colour')).toBeVisible()
    await expect(form.getByAltText('Your logo')).toBeVisible()
  },
  'download page with a brand': async ({ app, page }) => {
    const person = await makePerson(app, { tier: 'premium' })
    const message = 'The photographs for the opening.\nPlease credit the photographer.'
    await saveBrand(person, { name: 'Harbour & Pine '.repeat(4), accent: '#ffd400', message })
    const { shortCode } = await makeFile(person, { name: `${'long '.repeat(39)}.pdf` })
    await page.goto(`/s/${shortCode}`)
    await expect(page.getByText('Please credit the photographer.')).toBeVisible()
  },
}
