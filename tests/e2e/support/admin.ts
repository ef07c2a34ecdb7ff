import { expect, type Locator, type Page } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'
import { makePerson, type Person } from '../../support/make.ts'
import { signIn } from './dashboard.ts'

/** Opens the Admin Center for a new administrator. */
export async function openAdminCenter(page: Page, app: TestApp): Promise<Person> {
  const admin = await makePerson(app, { role: 'admin' })
  await signIn(page, app, admin)
  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'Admin Center' })).toBeVisible()
  return admin
}

/** Returns a section of the Admin Center. */
export function section(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true })
}
