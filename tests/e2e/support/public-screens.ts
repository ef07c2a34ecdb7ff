import { expect, type Page } from '@playwright/test'
import { makePerson } from '../../support/make.ts'
import { dropFiles, openDashboard } from './dashboard.ts'
import { writeRandomFile } from './files.ts'
import type { Stage } from './stage.ts'

/** Opens the landing page, and waits until its script runs. */
export async function openLanding(page: Page): Promise<void> {
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Get Started' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Switch to \w+ theme$/ })).toBeVisible()
}

/** Drops files on the drop zone of the landing page. */
export function dropOnLanding(page: Page, paths: string[]): Promise<void> {
  return dropFiles(page, paths, page.getByRole('region', { name: /to begin$|waits?$/ }))
}

/** Drops a file with a long name on the landing page. The page then opens the signup. */
async function keepFile({ folder, page }: Pick<Stage, 'folder' | 'page'>) {
  const name = `Minutes ${'of a very long meeting '.repeat(8)}`.slice(0, 196).concat('.pdf')
  const file = await writeRandomFile(folder, name, 1000)
  await openLanding(page)
  await dropOnLanding(page, [file.path])
  await expect(page).toHaveURL('/signup')
  return file
}

/** The public pages, and the screens that show waiting files. Each function opens one screen. */
export const publicScreens: Record<string, (stage: Stage) => Promise<void>> = {
  'landing page': ({ page }) => openLanding(page),
  'landing page with a file that waits': async ({ folder, page }) => {
    await keepFile({ folder, page })
    await page.goto('/')
    await expect(page.getByRole('button', { name: 'Remove' })).toBeVisible()
  },
  'signup while a file waits': async ({ folder, page }) => {
    const { name } = await keepFile({ folder, page })
    await expect(page.getByText(`${name} waits in this browser.`)).toBeVisible()
  },
  'dashboard while a file waits': async ({ app, folder, page }) => {
    await keepFile({ folder, page })
    await openDashboard(page, app, await makePerson(app))
    await expect(page.getByRole('button', { name: 'Upload it' })).toBeVisible()
  },
  'not found': async ({ noise, page }) => {
    noise.expect(/404 \(Not Found\).*\/no\/such\/page$/)
    await page.goto('/no/such/page')
    await expect(
      page.getByRole('heading', { name: 'There is nothing at this address' }),
    ).toBeVisible()
  },
}
