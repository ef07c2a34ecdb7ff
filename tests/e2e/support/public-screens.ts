import { expect, type Page } from '@playwright/test'
import { makePerson } from '../../support/make.ts'
import { dropFiles, openDashboard } from './dashboard.ts'
import { writeRandomFile } from './files.ts'
import type { Screens, Stage } from './stage.ts'

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
export async function keepFile({ folder, page }: Pick<Stage, 'folder' | 'page'>) {
  const name = `Minutes ${'of a very long meeting '.repeat(8)}`.slice(0, 196).concat('.pdf')
  const file = await writeRandomFile(folder, name, 1000)
  await openLanding(page)
  await dropOnLanding(page, [file.path])
  await expect(page).toHaveURL('/signup')
  return file
}

/** The screens that show waiting files. Each function opens one screen. */
export const publicScreens: Screens = {
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
}

/** What a visitor finds, whom no state of the server matters. */
export const waysInScreens: Screens = {
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
  'Admin Center, closed to visitors': async ({ page }) => {
    await page.goto('/admin')
    await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
  },
  'forgot password': async ({ page }) => {
    await page.goto('/login')
    await page.getByRole('button', { name: 'Forgot password?' }).click()
    await expect(page.getByRole('button', { name: 'Send Reset Email' })).toBeVisible()
  },
}
