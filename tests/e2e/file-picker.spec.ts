import { makePerson } from '../support/make.ts'
import {
  chooseFiles,
  openDashboard,
  pressChooseFiles,
  reloadAndConfirm,
} from './support/dashboard.ts'
import {
  connectionErrorPattern,
  expect,
  reloadWhileStalled,
  stallAfter,
  test,
} from './support/network.ts'
import { expectHandleSaved, mockPicker, removePicker } from './support/picker.ts'
import { expectArrived, expectUpload, pressResume } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test.beforeEach(async ({ app, errors, page }) => {
  errors.allow(connectionErrorPattern)
  await openDashboard(page, app, await makePerson(app))
})

test('the upload of a file chosen in the file picker resumes after a reload', async ({
  app,
  videoFile,
  network,
  page,
}) => {
  await mockPicker(page, videoFile, { asks: false })
  await stallAfter(network, 30 * mebibyte, () => pressChooseFiles(page))
  await expectHandleSaved(page)
  await reloadAndConfirm(page)
  network.restore()
  await expectArrived(page, app, videoFile)
})

test('one click resumes the upload if the browser requires permission', async ({
  app,
  videoFile,
  network,
  page,
}) => {
  await mockPicker(page, videoFile, { asks: true })
  await stallAfter(network, 30 * mebibyte, () => pressChooseFiles(page))
  await expectHandleSaved(page)
  await reloadWhileStalled(page, network)
  network.restore()
  await expectUpload(page, videoFile.name, 'Paused')
  await expect(page.getByText('Your browser will ask whether Mayfly may read')).toBeVisible()
  await pressResume(page, videoFile.name)
  await expectArrived(page, app, videoFile)
})

test('a paused upload whose file is chosen again resumes after the next reload', async ({
  app,
  videoFile,
  network,
  page,
}) => {
  await stallAfter(network, 20 * mebibyte, () => chooseFiles(page, [videoFile.path]))
  await reloadWhileStalled(page, network)
  await mockPicker(page, videoFile, { asks: false })
  await expectUpload(page, videoFile.name, 'Paused')
  network.restore()
  await stallAfter(network, 20 * mebibyte, () => pressResume(page, videoFile.name))
  await expectHandleSaved(page)
  await reloadWhileStalled(page, network)
  network.restore()
  await expectArrived(page, app, videoFile)
})

test('a dismissed picker opens no second dialog and can be opened again', async ({ page }) => {
  // From now on, the page opens the browser's own dialog, which closes at once because tests
  // intercept all file dialogs.
  await page.evaluate(() => {
    const show: () => Promise<unknown> = Reflect.get(window, 'showOpenFilePicker')
    const outcomes: string[] = []
    const showOpenFilePicker = () =>
      show().catch((error: Error) => {
        outcomes.push(error.name)
        throw error
      })
    Object.assign(window, { showOpenFilePicker, outcomes })
  })
  let dialogCount = 0
  page.on('filechooser', () => {
    dialogCount += 1
  })
  for (const outcomes of [['AbortError'], ['AbortError', 'AbortError']]) {
    await pressChooseFiles(page)
    await expect.poll(() => page.evaluate('outcomes')).toEqual(outcomes)
  }
  expect(dialogCount).toBe(0)
})

test("a browser without the picker opens the file input's dialog", async ({
  app,
  videoFile,
  network,
  page,
}) => {
  await removePicker(page)
  await page.reload()
  const openFileChooser = async (press: () => Promise<void>) => {
    const chooserPromise = page.waitForEvent('filechooser')
    await press()
    const dialog = await chooserPromise
    await dialog.setFiles(videoFile.path)
    return dialog
  }

  const stallPromise = network.stallPutsAfter(20 * mebibyte)
  const multiChooser = await openFileChooser(() => pressChooseFiles(page))
  expect(multiChooser.isMultiple()).toBe(true)
  await stallPromise
  await reloadWhileStalled(page, network)
  await expectUpload(page, videoFile.name, 'Paused')
  network.restore()
  const singleChooser = await openFileChooser(() => pressResume(page, videoFile.name))
  expect(singleChooser.isMultiple()).toBe(false)
  await expectArrived(page, app, videoFile)
})
