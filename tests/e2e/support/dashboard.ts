import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { logIn, type Person } from '../../support/make.ts'

interface Server {
  url: string
}

type Account = Pick<Person, 'email' | 'password'>

/** Signs a user in without using the login form. */
export async function signIn(page: Page, server: Server, account: Account): Promise<void> {
  const cookies = await logIn(server, account.email, account.password)
  await page.context().addCookies(
    cookies.split('; ').map((cookie) => {
      const [name = '', value = ''] = cookie.split(/=(.*)/s)
      return { name, value, url: server.url }
    }),
  )
}

export async function fillLogin(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In' }).click()
}

/** Waits for the dashboard itself: the page greets the user before its scripts have loaded. */
function expectDashboard(page: Page): Promise<void> {
  const content = page.locator('#content')
  return expect(content.getByRole('heading', { name: /^Welcome back, / })).toBeVisible()
}

export async function openSecondTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto('/')
  await expectDashboard(page)
  return page
}

export async function openDashboard(page: Page, server: Server, account: Account): Promise<void> {
  await signIn(page, server, account)
  await page.goto('/')
  await expectDashboard(page)
}

/**
 * Chooses files in the file input. They have no handle: only this page can read them, and only
 * until it closes or reloads.
 */
export function chooseFiles(page: Page, paths: string[]): Promise<void> {
  return page.getByLabel('Files to upload').setInputFiles(paths)
}

/** Presses 'Choose files'. The test has to handle the dialog that this opens. */
export function pressChooseFiles(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Choose files' }).click()
}

export async function reloadAndConfirm(page: Page): Promise<void> {
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
}

async function getCenter(target: Locator) {
  const box = await target.boundingBox()
  if (!box) throw new Error(`${target} is not shown.`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Drops files and folders from disk onto the page or `target`, using native drag and drop. */
export async function dropFiles(page: Page, paths: string[], target?: Locator): Promise<void> {
  const browser = await page.context().newCDPSession(page)
  const position = target ? await getCenter(target) : { x: 640, y: 400 }
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    browser.send('Input.dispatchDragEvent', {
      type,
      ...position,
      data: { items: [], files: paths, dragOperationsMask: 1 },
    })
  await drag('dragEnter')
  await drag('dragOver')
  if (!target) await expect(page.getByText('Drop to upload')).toBeVisible()
  await drag('drop')
  await browser.detach()
}

export function fileRow(page: Page, name: string): Locator {
  return page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
}
