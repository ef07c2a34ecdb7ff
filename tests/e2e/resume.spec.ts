import type { Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { sessions } from '../../src/server/db/schema.ts'
import type { ChaosProxy } from '../support/chaos-proxy.ts'
import { makePerson } from '../support/make.ts'
import {
  chooseFiles,
  dropFiles,
  fillLogin,
  openDashboard,
  pressChooseFiles,
  reloadAndConfirm,
} from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import {
  connectionErrorPattern,
  countSentBytes,
  countStoredPuts,
  expect,
  stallAfter,
  test,
} from './support/network.ts'
import { expectHandleSaved, mockPicker } from './support/picker.ts'
import { dropOnUpload, expectArrived, expectUpload, uploadItem } from './support/uploads.ts'

const mebibyte = 1024 ** 2
const partSize = 8 * mebibyte

test('the upload of a file chosen in the file picker resumes after a reload', async ({
  app,
  errors,
  videoFile,
  network,
  page,
}) => {
  errors.allow(connectionErrorPattern)
  await openDashboard(page, app, await makePerson(app))
  await mockPicker(page, videoFile, { asks: false })
  await stallAfter(network, mebibyte, () => pressChooseFiles(page))
  await expectHandleSaved(page)
  await reloadAndConfirm(page)
  network.restore()
  await expectArrived(page, app, videoFile)
})

/** Crashes the tab, cuts its connections and opens the dashboard in a new tab. */
async function reopenAfterCrash(page: Page, network: ChaosProxy): Promise<Page> {
  const context = page.context()
  const browser = await context.newCDPSession(page)
  const crashPromise = page.waitForEvent('crash')
  // The page crashes before it can respond to this command, so don't wait for a response.
  browser.send('Page.crash').catch(() => {})
  await crashPromise
  await page.close()
  network.cut()
  const newPage = await context.newPage()
  network.restore()
  await newPage.goto('/')
  return newPage
}

test('after a tab crashed, the same file resumes from the stored parts', async ({
  app,
  folder,
  errors,
  page,
  network,
}) => {
  errors.allow(connectionErrorPattern)
  const file = await writeRandomFile(folder, 'footage.mov', 51 * mebibyte)
  const otherFile = await writeRandomFile(folder, 'holiday.mov', 51 * mebibyte)
  await openDashboard(page, app, await makePerson(app))

  // Files from a file input have no handle. Only this page can read them, and only until it closes
  // or reloads. At most five parts of 8 MiB are in flight, so after 44 MiB at least one is stored.
  await stallAfter(network, 44 * mebibyte, () => chooseFiles(page, [file.path]))
  await expect.poll(() => countStoredPuts(network)).toBeGreaterThan(0)
  const secondPage = await reopenAfterCrash(page, network)
  const storedCount = countStoredPuts(network)
  const exchangeCountBefore = network.exchanges.length
  await expectUpload(secondPage, file.name, 'Paused')
  await expect(uploadItem(secondPage, file.name).getByText('Upload paused')).toBeVisible()

  await dropOnUpload(secondPage, otherFile.path, file.name)
  await expect(
    secondPage.getByText(/holiday\.mov.*footage\.mov|footage\.mov.*holiday\.mov/),
  ).toBeVisible()
  await expectUpload(secondPage, file.name, 'Paused')
  expect(countSentBytes(network, exchangeCountBefore)).toBe(0)

  await dropOnUpload(secondPage, file.path, file.name)
  await expectArrived(secondPage, app, file)
  expect(countSentBytes(network, exchangeCountBefore)).toBeLessThanOrEqual(
    file.size - (storedCount - 1) * partSize,
  )
})

test('an upload whose session ends resumes after a sign-in in another tab', async ({
  app,
  context,
  videoFile,
  errors,
  page,
  network,
}) => {
  errors.expect(/401 \(Unauthorized\)/)
  const person = await makePerson(app)
  await openDashboard(page, app, person)

  await stallAfter(network, mebibyte, () => dropFiles(page, [videoFile.path]))
  await app.deps.db.delete(sessions).where(eq(sessions.userId, person.id))
  network.restore()

  await expectUpload(page, videoFile.name, 'Paused')
  const pagePromise = context.waitForEvent('page')
  await uploadItem(page, videoFile.name).getByRole('link', { name: 'Sign in' }).click()
  const loginPage = await pagePromise
  await fillLogin(loginPage, person)

  // The first tab still has the file, so the user doesn't have to choose it again.
  await expectArrived(loginPage, app, videoFile)
})
