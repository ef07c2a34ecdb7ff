import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { logIn, type Person } from '../../support/make.ts'

interface Server {
  url: string
}

type Account = Pick<Person, 'email' | 'password'>

/** Signs somebody in past the form, for stories that are about something else. */
const signIn = async (page: Page, server: Server, account: Account): Promise<void> => {
  const cookies = await logIn(server, account.email, account.password)
  await page.context().addCookies(
    cookies.split('; ').map((cookie) => {
      const [name = '', value = ''] = cookie.split(/=(.*)/s)
      return { name, value, url: server.url }
    }),
  )
}

/** Fills in the login form that is open, and sends it. */
export const fillLogin = async (page: Page, { email, password }: Account): Promise<void> => {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In' }).click()
}

const expectDashboard = (page: Page): Promise<void> =>
  expect(page.getByRole('heading', { name: /^Welcome back, / })).toBeVisible()

/** Opens the dashboard of who is signed in in a second tab. */
export const openSecondTab = async (context: BrowserContext): Promise<Page> => {
  const page = await context.newPage()
  await page.goto('/')
  await expectDashboard(page)
  return page
}

/** Opens the dashboard as somebody. */
export const openDashboard = async (
  page: Page,
  server: Server,
  account: Account,
): Promise<void> => {
  await signIn(page, server, account)
  await page.goto('/')
  await expectDashboard(page)
}

/**
 * Chooses files of the disk as the file input gives them: without a handle by which the browser would
 * find them again.
 */
export const chooseFiles = (page: Page, paths: string[]): Promise<void> =>
  page.getByLabel('Files to upload').setInputFiles(paths)

/** Asks for files with the button, which a picker or a dialog answers. */
export const pressChooseFiles = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Choose files' }).click()

/** Loads the page anew, whatever it says about bytes that are lost by it. */
export const reloadAnyway = async (page: Page): Promise<void> => {
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
}

const middleOf = async (target: Locator) => {
  const box = await target.boundingBox()
  if (!box) throw new Error(`${target} is not shown.`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/**
 * Drags files and folders of the disk over the page, or one thing on it, and lets go of them: the
 * browser's own drag and drop.
 */
export const dropFiles = async (page: Page, paths: string[], target?: Locator): Promise<void> => {
  const browser = await page.context().newCDPSession(page)
  const place = target ? await middleOf(target) : { x: 640, y: 400 }
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    browser.send('Input.dispatchDragEvent', {
      type,
      ...place,
      data: { items: [], files: paths, dragOperationsMask: 1 },
    })
  await drag('dragEnter')
  await drag('dragOver')
  if (!target) await expect(page.getByText('Drop to upload')).toBeVisible()
  await drag('drop')
  await browser.detach()
}

/** The row of a file in the list that is open. */
export const fileRow = (page: Page, name: string): Locator =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
