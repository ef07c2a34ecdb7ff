import { expect, type Page } from '@playwright/test'
import { dropFiles } from './dashboard.ts'
import { writeRandomFile } from './files.ts'
import type { ScreenContext } from './open-screens.ts'

/** Opens the landing page and waits until its script has run. */
export async function openLanding(page: Page): Promise<void> {
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Get Started' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
}

export function dropOnLanding(page: Page, paths: string[]): Promise<void> {
  return dropFiles(page, paths, page.getByRole('region', { name: /to begin$|waiting$/ }))
}

/**
 * Drops a file with a long name on the landing page, which keeps the file and opens the signup
 * page.
 */
export async function saveFileOnLanding({ folder, page }: Pick<ScreenContext, 'folder' | 'page'>) {
  const name = `Minutes ${'of a very long meeting '.repeat(8)}`.slice(0, 196).concat('.pdf')
  const file = await writeRandomFile(folder, name, 1000)
  await openLanding(page)
  await dropOnLanding(page, [file.path])
  await expect(page).toHaveURL('/signup')
  return file
}
