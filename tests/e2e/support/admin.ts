import type { Locator, Page } from '@playwright/test'

/** Returns a section of the Admin Center. */
export function section(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true })
}
