import { makePerson } from '../support/make.ts'
import { dropFiles, openDashboard, openSecondTab, reloadAndConfirm } from './support/dashboard.ts'
import { connectionErrors, expect, stallAfter, test } from './support/network.ts'
import { expectArrived, expectUpload } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('a dropped file resumes by itself after a reload', async ({
  app,
  film: video,
  errors,
  page,
  network,
}) => {
  errors.allow(connectionErrors)
  await openDashboard(page, app, await makePerson(app))
  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [video.path]))

  await reloadAndConfirm(page)
  network.open()
  await expectArrived(page, app, video)
})

test('a dropped file resumes by itself in another tab when its own tab is closed', async ({
  app,
  context,
  film: video,
  errors,
  page,
  network,
}) => {
  errors.allow(connectionErrors)
  await openDashboard(page, app, await makePerson(app))
  const other = await openSecondTab(context)
  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [video.path]))

  await page.close()
  network.open()
  await expectArrived(other, app, video)
})

test('the screen stays awake during an upload, and leaving asks for confirmation', async ({
  app,
  context,
  film: video,
  page,
  network,
}) => {
  await context.grantPermissions(['screen-wake-lock'])
  await page.addInitScript(() => {
    const { wakeLock } = navigator
    const request = wakeLock.request.bind(wakeLock)
    const locks: WakeLockSentinel[] = []
    Object.assign(window, { locks })
    wakeLock.request = async (type) => {
      const lock = await request(type)
      locks.push(lock)
      return lock
    }
  })
  const isUploadSaved = () =>
    page.evaluate(() => {
      const locks: unknown = Reflect.get(window, 'locks')
      return Array.isArray(locks) && locks.some(({ released }) => !released)
    })
  await openDashboard(page, app, await makePerson(app))
  // Browsers ask before closing a page only after a user interaction with it.
  await page.getByRole('heading', { level: 1 }).click()
  expect(await isUploadSaved()).toBe(false)

  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [video.path]))
  await expect.poll(isUploadSaved).toBe(true)
  const dialogOpened = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await dialogOpened
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()

  network.open()
  await expectUpload(page, video.name, 'Completed')
  await expect.poll(isUploadSaved).toBe(false)
  const closed = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closed
})
