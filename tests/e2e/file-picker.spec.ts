import { makePerson } from '../support/make.ts'
import {
  chooseFiles,
  openDashboard,
  pressChooseFiles,
  reloadAndConfirm,
} from './support/dashboard.ts'
import {
  connectionErrors,
  expect,
  reloadWhileStalled,
  stallAfter,
  test,
} from './support/network.ts'
import { denyPicker, expectHandleSaved, mockPicker, removePicker } from './support/picker.ts'
import { expectArrived, expectUpload, pressResume, uploadItem } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test.beforeEach(async ({ app, errors, page }) => {
  errors.allow(connectionErrors)
  await openDashboard(page, app, await makePerson(app))
})

test('a file chosen in the file picker resumes after a reload', async ({
  app,
  film: video,
  network,
  page,
}) => {
  await mockPicker(page, video, { asks: false })
  await stallAfter(network, 30 * mebibyte, () => pressChooseFiles(page))
  await expectHandleSaved(page)
  await reloadAndConfirm(page)
  network.open()
  await expectArrived(page, app, video)
})

test('one click resumes the upload if the browser has to ask for permission', async ({
  app,
  film: video,
  network,
  page,
}) => {
  await mockPicker(page, video, { asks: true })
  await stallAfter(network, 30 * mebibyte, () => pressChooseFiles(page))
  await expectHandleSaved(page)
  await reloadWhileStalled(page, network)
  network.open()
  await expectUpload(page, video.name, 'Paused')
  await expect(page.getByText('Your browser will ask whether Mayfly may read')).toBeVisible()
  await pressResume(page, video.name)
  await expectArrived(page, app, video)
})

test('a file chosen again for a paused upload resumes after the next reload', async ({
  app,
  film: video,
  network,
  page,
}) => {
  await stallAfter(network, 20 * mebibyte, () => chooseFiles(page, [video.path]))
  await reloadWhileStalled(page, network)
  await mockPicker(page, video, { asks: false })
  await expectUpload(page, video.name, 'Paused')
  network.open()
  await stallAfter(network, 20 * mebibyte, () => pressResume(page, video.name))
  await expectHandleSaved(page)
  await reloadWhileStalled(page, network)
  network.open()
  await expectArrived(page, app, video)
})

test('a paused upload reports an unreadable file until another one is chosen', async ({
  app,
  film: video,
  network,
  page,
}) => {
  await stallAfter(network, 20 * mebibyte, () => chooseFiles(page, [video.path]))
  await reloadWhileStalled(page, network)
  await expectUpload(page, video.name, 'Paused')
  await page.evaluate((name) => {
    const getFile = () => Promise.reject(new DOMException('gone', 'NotFoundError'))
    const showOpenFilePicker = async () => [{ kind: 'file', name, getFile }]
    Object.assign(window, { showOpenFilePicker })
  }, video.name)
  await pressResume(page, video.name)
  const alert = uploadItem(page, video.name).getByRole('alert')
  await expect(alert).toHaveText(
    `Could not be read: ${video.name}. Check that the browser may read them and that they still exist.`,
  )

  await mockPicker(page, video, { asks: false })
  network.open()
  await pressResume(page, video.name)
  await expectArrived(page, app, video)
  await expect(alert).toBeHidden()
})

test('a dismissed picker opens no second dialog and can be opened again', async ({ page }) => {
  // Here the page opens the browser's own dialog, which closes at once because tests handle all
  // file dialogs.
  await page.evaluate(() => {
    const show: () => Promise<unknown> = Reflect.get(window, 'showOpenFilePicker')
    const outcomes: string[] = []
    const showOpenFilePicker = () =>
      show().catch((error: Error) => {
        outcomes.push(error.name)
        throw error
      })
    Object.assign(window, { showOpenFilePicker, ends: outcomes })
  })
  let dialogCount = 0
  page.on('filechooser', () => {
    dialogCount += 1
  })
  for (const outcomes of [['AbortError'], ['AbortError', 'AbortError']]) {
    await pressChooseFiles(page)
    await expect.poll(() => page.evaluate('ends')).toEqual(outcomes)
  }
  expect(dialogCount).toBe(0)
})

for (const [browser, begin] of [
  ['without the picker', removePicker],
  ['that blocks the picker', denyPicker],
] as const) {
  test(`a browser ${browser} opens the file input's dialog`, async ({
    app,
    film: video,
    network,
    page,
  }) => {
    await begin(page)
    await page.reload()
    const openFileChooser = async (press: () => Promise<void>) => {
      const opened = page.waitForEvent('filechooser')
      await press()
      const dialog = await opened
      await dialog.setFiles(video.path)
      return dialog
    }

    const reached = network.holdAfter(20 * mebibyte)
    const many = await openFileChooser(() => pressChooseFiles(page))
    expect(many.isMultiple()).toBe(true)
    await reached
    await reloadWhileStalled(page, network)
    await expectUpload(page, video.name, 'Paused')
    network.open()
    const one = await openFileChooser(() => pressResume(page, video.name))
    expect(one.isMultiple()).toBe(false)
    await expectArrived(page, app, video)
  })
}
