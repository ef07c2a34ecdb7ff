import type { Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { uploads } from '../../src/server/db/schema.ts'
import { makePerson } from '../support/make.ts'
import {
  chooseFiles,
  dropFiles,
  fileRow,
  openDashboard,
  openSecondTab,
  pressChooseFiles,
} from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import {
  connectionErrorPattern,
  expect,
  reloadWhileStalled,
  stallAfter,
  test,
} from './support/network.ts'
import { countHandles, expectHandleSaved, mockPicker } from './support/picker.ts'
import {
  dropOnUpload,
  expectArrived,
  expectUpload,
  hashDownload,
  pressCancel,
  pressResume,
  readShortCode,
  uploadItem,
  uploadsPanel,
} from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('two tabs show the same upload, and either can cancel it', async ({
  app,
  context,
  videoFile,
  page,
  network,
}) => {
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  const otherTab = await openSecondTab(context)

  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [videoFile.path]))
  await expectUpload(page, videoFile.name, 'Uploading')
  await expectUpload(otherTab, videoFile.name, 'Uploading')
  await pressCancel(otherTab, videoFile.name)
  await expect(uploadItem(otherTab, videoFile.name)).toBeHidden()
  await expect(uploadItem(page, videoFile.name)).toBeHidden()
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
  await stallAfter(network, 30 * mebibyte, () => pressChooseFiles(page))
  await expectHandleSaved(page)
  await reloadWhileStalled(page, network)
  network.restore()
  const otherTab = await openSecondTab(context)
  await expectUpload(otherTab, videoFile.name, 'Paused')

  const sendingPages = new Set<Page>()
  for (const tab of [page, otherTab]) {
    tab.on('request', (request) => {
      if (request.method() === 'PUT') sendingPages.add(tab)
    })
  }
  await pressResume(otherTab, videoFile.name)
  await expectArrived(otherTab, app, videoFile)
  await expectUpload(page, videoFile.name, 'Completed')
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
  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [videoFile.path]))
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

test("closing a tab mid-upload leaves another tab's upload running and offers to resume the closed tab's", async ({
  app,
  context,
  videoFile,
  folder,
  errors,
  page,
  network,
}) => {
  errors.allow(connectionErrorPattern)
  const person = await makePerson(app)
  const songFile = await writeRandomFile(folder, 'song.flac', 51 * mebibyte)
  await openDashboard(page, app, person)
  const otherTab = await openSecondTab(context)

  // Files from a file input have no handle. Only this page can read them, and only until it closes
  // or reloads.
  await stallAfter(network, 30 * mebibyte, () => chooseFiles(page, [videoFile.path]))
  await otherTab.bringToFront()
  await dropFiles(otherTab, [songFile.path])
  await page.close()
  // Bytes still buffered in the closed tab's connections could complete the upload.
  network.cut()
  network.restore()

  await expectUpload(otherTab, songFile.name, 'Completed')
  await expect(fileRow(otherTab, songFile.name)).toBeVisible()
  expect(await hashDownload(app.url, await readShortCode(otherTab, songFile.name))).toBe(
    songFile.sha256,
  )
  await expectUpload(otherTab, videoFile.name, 'Paused')
  await dropOnUpload(otherTab, videoFile.path, videoFile.name)
  await expectArrived(otherTab, app, videoFile)
})
