import type { Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { uploads } from '../../src/server/db/schema.ts'
import { makePerson } from '../support/make.ts'
import {
  dropFiles,
  fileRow,
  openDashboard,
  openSecondTab,
  pressChooseFiles,
} from './support/dashboard.ts'
import {
  connectionErrorPattern,
  expect,
  reloadWhileStalled,
  stallAfter,
  test,
} from './support/network.ts'
import { countHandles, expectHandleSaved, mockPicker } from './support/picker.ts'
import { recordShownTexts } from './support/shown-texts.ts'
import {
  expectArrived,
  expectUpload,
  pressResume,
  uploadItem,
  uploadsPanel,
} from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('two tabs show the same upload, and canceling it frees its slot', async ({
  app,
  context,
  videoFile,
  page,
  network,
}) => {
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  const otherTab = await openSecondTab(context)

  const shownTexts = await recordShownTexts(page)

  await stallAfter(network, mebibyte, () => dropFiles(page, [videoFile.path]))
  const cancelButton = page.getByRole('main').getByRole('button', { name: 'Cancel', exact: true })
  await expectUpload(otherTab, videoFile.name, 'Uploading')
  await cancelButton.click()
  await expect.poll(() => shownTexts).toContain('Cancelled by user')
  await expect(uploadItem(otherTab, videoFile.name)).toBeHidden()
  const findUploads = () => app.deps.db.select().from(uploads).where(eq(uploads.ownerId, person.id))
  await expect.poll(findUploads).toEqual([])
})

test('an upload whose tab was reloaded can be resumed and sent by another tab', async ({
  app,
  context,
  videoFile,
  page,
  network,
  errors,
}) => {
  errors.allow(connectionErrorPattern)
  await openDashboard(page, app, await makePerson(app))
  await mockPicker(page, videoFile, { asks: true })
  await stallAfter(network, mebibyte, () => pressChooseFiles(page))
  await expectHandleSaved(page)
  await reloadWhileStalled(page, network)
  network.restore()
  const otherTab = await openSecondTab(context)
  await expectUpload(otherTab, videoFile.name, 'Paused')
  await expect(otherTab.getByText('Your browser will ask whether Mayfly may read')).toBeVisible()

  const sendingPages = new Set<Page>()
  for (const tab of [page, otherTab]) {
    tab.on('request', (request) => {
      if (request.method() === 'PUT') sendingPages.add(tab)
    })
  }
  await pressResume(otherTab, videoFile.name)
  await expectArrived(otherTab, app, videoFile)
  await expect(fileRow(page, videoFile.name)).toBeVisible()
  expect([...sendingPages]).toEqual([otherTab])
})

test('signing out in one tab removes the uploads of all tabs from the browser', async ({
  app,
  context,
  videoFile,
  page,
  network,
  errors,
}) => {
  errors.allow(connectionErrorPattern)
  errors.allow(/401 \(Unauthorized\)/)
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  await stallAfter(network, mebibyte, () => dropFiles(page, [videoFile.path]))
  await expectHandleSaved(page)
  const otherTab = await openSecondTab(context)
  await expectUpload(otherTab, videoFile.name, 'Uploading')
  network.restore()
  void network.stallPutsAfter(mebibyte)

  await otherTab.getByRole('button', { name: 'Log out' }).click()
  await otherTab.getByRole('alertdialog').getByRole('button', { name: 'Log out' }).click()
  await expect(otherTab.getByRole('link', { name: 'Sign In' }).first()).toBeVisible()
  network.restore()
  await expect(uploadsPanel(page)).toBeHidden()
  for (const tab of [page, otherTab]) {
    const storedText = await tab.evaluate(() => JSON.stringify(localStorage))
    expect(storedText).not.toContain(videoFile.name)
    expect(storedText).not.toContain('/storage/')
    expect(await countHandles(tab)).toBe(0)
  }
  const findUploads = () => app.deps.db.select().from(uploads).where(eq(uploads.ownerId, person.id))
  await expect.poll(findUploads).toEqual([])
})

test("a dropped file's upload resumes in another tab when its own tab is closed", async ({
  app,
  context,
  videoFile,
  errors,
  page,
  network,
}) => {
  errors.allow(connectionErrorPattern)
  await openDashboard(page, app, await makePerson(app))
  const otherTab = await openSecondTab(context)
  await stallAfter(network, mebibyte, () => dropFiles(page, [videoFile.path]))

  await page.close()
  network.restore()
  await expectArrived(otherTab, app, videoFile)
})
