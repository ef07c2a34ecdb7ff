import { expect, type Locator, type Page } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'
import { makePerson, type Person } from '../../support/make.ts'
import { signIn } from './dashboard.ts'
import { pressOn } from './keyboard.ts'

/** Signs in as a new administrator and opens the Admin Center. */
export async function openAdminCenter(page: Page, app: TestApp): Promise<Person> {
  const admin = await makePerson(app, { role: 'admin' })
  await signIn(page, app, admin)
  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'Admin Center' })).toBeVisible()
  return admin
}

export function section(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true })
}

/** Returns a maintenance action's row, with its button and result. */
export function maintenanceRow(page: Page, title: string): Locator {
  const heading = page.getByRole('heading', { name: title })
  return section(page, 'Maintenance').getByRole('listitem').filter({ has: heading })
}

/** Starts a maintenance action. Returns the element that shows its result. */
export async function startMaintenance(page: Page, title: string): Promise<Locator> {
  const row = maintenanceRow(page, title)
  await row.getByRole('button').click()
  return row.getByRole('status')
}

/** Follows the link to a section by keyboard. The next press of Tab enters the section. */
export function openSection(page: Page, title: string): Promise<void> {
  const sectionLinks = page.getByRole('navigation', { name: 'Sections' })
  return pressOn(page, sectionLinks.getByRole('link', { name: title }))
}
