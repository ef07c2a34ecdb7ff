import { expect, type Locator, type Page } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'
import { makePerson, type Person } from '../../support/make.ts'
import { signIn } from './dashboard.ts'

/** Makes an administrator, signs in and opens the Admin Center. Returns the administrator. */
export async function openAdminCenter(page: Page, app: TestApp): Promise<Person> {
  const admin = await makePerson(app, { role: 'admin' })
  await signIn(page, app, admin)
  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'Admin Center' })).toBeVisible()
  return admin
}

/** Returns the section of the Admin Center with this title. */
export function section(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true })
}
