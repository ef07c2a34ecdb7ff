import { makePerson } from '../support/make.ts'
import {
  chooseFiles,
  openDashboard,
  pressChooseFiles,
  reloadAndConfirm,
} from './support/dashboard.ts'
import {
  brokenConnection,
  expect,
  reloadWhileStalled,
  stallAfter,
  test,
} from './support/network.ts'
import {
  answerPicker,
  expectHandleSaved,
  withoutPicker,
  withPickerRefused,
} from './support/picker.ts'
import { expectArrived, expectUpload, pressResume, uploadItem } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test.beforeEach(async ({ app, noise, page }) => {
  noise.allow(brokenConnection)
  await openDashboard(page, app, await makePerson(app))
})

test('a file chosen in the file picker resumes after a reload', async ({
  app,
  film,
  network,
  page,
}) => {
  await answerPicker(page, film, { asks: false })
  await stallAfter(network, 30 * mebibyte, () => pressChooseFiles(page))
  await expectHandleSaved(page)
  await reloadAndConfirm(page)
  network.open()
  await expectArrived(page, app, film)
})

test('one click resumes the upload if the browser has to ask for permission', async ({
  app,
  film,
  network,
  page,
}) => {
  await answerPicker(page, film, { asks: true })
  await stallAfter(network, 30 * mebibyte, () => pressChooseFiles(page))
  await expectHandleSaved(page)
  await reloadWhileStalled(page, network)
  network.open()
  await expectUpload(page, film.name, 'Paused')
  await expect(page.getByText('Your browser will ask whether Mayfly may read')).toBeVisible()
  await pressResume(page, film.name)
  await expectArrived(page, app, film)
})

test('a file chosen again for a paused upload resumes after the next reload', async ({
  app,
  film,
  network,
  page,
}) => {
  await stallAfter(network, 20 * mebibyte, () => chooseFiles(page, [film.path]))
  await reloadWhileStalled(page, network)
  await answerPicker(page, film, { asks: false })
  await expectUpload(page, film.name, 'Paused')
  network.open()
  await stallAfter(network, 20 * mebibyte, () => pressResume(page, film.name))
  await expectHandleSaved(page)
  await reloadWhileStalled(page, network)
  network.open()
  await expectArrived(page, app, film)
})

test('a paused upload reports an unreadable file until another one is chosen', async ({
  app,
  film,
  network,
  page,
}) => {
  await stallAfter(network, 20 * mebibyte, () => chooseFiles(page, [film.path]))
  await reloadWhileStalled(page, network)
  await expectUpload(page, film.name, 'Paused')
  await page.evaluate((name) => {
    const getFile = () => Promise.reject(new DOMException('gone', 'NotFoundError'))
    const showOpenFilePicker = async () => [{ kind: 'file', name, getFile }]
    Object.assign(window, { showOpenFilePicker })
  }, film.name)
  await pressResume(page, film.name)
  const fault = uploadItem(page, film.name).getByRole('alert')
  await expect(fault).toHaveText(
    `Could not be read: ${film.name}. Check that the browser may read them and that they still exist.`,
  )

  await answerPicker(page, film, { asks: false })
  network.open()
  await pressResume(page, film.name)
  await expectArrived(page, app, film)
  await expect(fault).toBeHidden()
})

test('a dismissed picker opens no second dialog and can be opened again', async ({ page }) => {
  // Here the page opens the browser's own dialog, which closes at once because tests handle all
  // file dialogs.
  await page.evaluate(() => {
    const show: () => Promise<unknown> = Reflect.get(window, 'showOpenFilePicker')
    const ends: string[] = []
    const showOpenFilePicker = () =>
      show().catch((error: Error) => {
        ends.push(error.name)
        throw error
      })
    Object.assign(window, { showOpenFilePicker, ends })
  })
  let dialogs = 0
  page.on('filechooser', () => {
    dialogs += 1
  })
  for (const ends of [['AbortError'], ['AbortError', 'AbortError']]) {
    await pressChooseFiles(page)
    await expect.poll(() => page.evaluate('ends')).toEqual(ends)
  }
  expect(dialogs).toBe(0)
})

for (const [browser, begin] of [
  ['without the picker', withoutPicker],
  ['that blocks the picker', withPickerRefused],
] as const) {
  test(`a browser ${browser} opens the file input's dialog`, async ({
    app,
    film,
    network,
    page,
  }) => {
    await begin(page)
    await page.reload()
    const answerInput = async (press: () => Promise<void>) => {
      const opened = page.waitForEvent('filechooser')
      await press()
      const dialog = await opened
      await dialog.setFiles(film.path)
      return dialog
    }

    const reached = network.holdAfter(20 * mebibyte)
    const many = await answerInput(() => pressChooseFiles(page))
    expect(many.isMultiple()).toBe(true)
    await reached
    await reloadWhileStalled(page, network)
    await expectUpload(page, film.name, 'Paused')
    network.open()
    const one = await answerInput(() => pressResume(page, film.name))
    expect(one.isMultiple()).toBe(false)
    await expectArrived(page, app, film)
  })
}
