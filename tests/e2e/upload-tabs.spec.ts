import { makePerson } from '../support/make.ts'
import { dropFiles, openDashboard, openSecondTab } from './support/dashboard.ts'
import { connectionErrorPattern, expect, stallAfter, test } from './support/network.ts'
import { expectArrived, expectUpload } from './support/uploads.ts'

const mebibyte = 1024 ** 2

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
  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [videoFile.path]))

  await page.close()
  network.restore()
  await expectArrived(otherTab, app, videoFile)
})

test('the screen stays awake during an upload, and leaving asks for confirmation', async ({
  app,
  context,
  videoFile,
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
  // Browsers ask before leaving a page only if the user has interacted with it.
  await page.getByRole('heading', { level: 1 }).click()
  expect(await isUploadSaved()).toBe(false)

  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [videoFile.path]))
  await expect.poll(isUploadSaved).toBe(true)
  const dialogPromise = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await dialogPromise
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()

  network.restore()
  await expectUpload(page, videoFile.name, 'Completed')
  await expect.poll(isUploadSaved).toBe(false)
  const closePromise = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closePromise
})
