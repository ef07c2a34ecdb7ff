import { makePerson } from '../support/make.ts'
import { dropFiles, openDashboard, openSecondTab, reloadAndConfirm } from './support/dashboard.ts'
import { brokenConnection, expect, stallAfter, test } from './support/network.ts'
import { expectArrived, expectUpload } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('a dropped file resumes by itself after a reload', async ({
  app,
  film,
  noise,
  page,
  network,
}) => {
  noise.allow(brokenConnection)
  await openDashboard(page, app, await makePerson(app))
  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [film.path]))

  await reloadAndConfirm(page)
  network.open()
  await expectArrived(page, app, film)
})

test('a dropped file resumes by itself in another tab when its own tab is closed', async ({
  app,
  context,
  film,
  noise,
  page,
  network,
}) => {
  noise.allow(brokenConnection)
  await openDashboard(page, app, await makePerson(app))
  const other = await openSecondTab(context)
  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [film.path]))

  await page.close()
  network.open()
  await expectArrived(other, app, film)
})

test('the screen stays awake during an upload, and leaving asks for confirmation', async ({
  app,
  context,
  film,
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
  const isKeptOn = () =>
    page.evaluate(() => {
      const locks: unknown = Reflect.get(window, 'locks')
      return Array.isArray(locks) && locks.some(({ released }) => !released)
    })
  await openDashboard(page, app, await makePerson(app))
  // Browsers ask before closing a page only after a user interaction with it.
  await page.getByRole('heading', { level: 1 }).click()
  expect(await isKeptOn()).toBe(false)

  await stallAfter(network, 30 * mebibyte, () => dropFiles(page, [film.path]))
  await expect.poll(isKeptOn).toBe(true)
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()

  network.open()
  await expectUpload(page, film.name, 'Completed')
  await expect.poll(isKeptOn).toBe(false)
  const closed = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closed
})
