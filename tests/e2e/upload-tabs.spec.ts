import { makePerson } from '../support/make.ts'
import { dropFiles, openDashboard, openSecondTab } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { brokenConnection, expect, test } from './support/network.ts'
import { codeOf, expectUpload, sha256OfLink } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('a dropped file goes on by itself after a reload', async ({
  app,
  folder,
  noise,
  page,
  network,
}) => {
  noise.allow(brokenConnection)
  const film = await writeRandomFile(folder, 'film.mkv', 60 * mebibyte)
  await openDashboard(page, app, await makePerson(app))
  const reached = network.holdAfter(30 * mebibyte)
  await dropFiles(page, [film.path])
  await reached

  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  network.open()
  await expectUpload(page, film.name, 'Completed', { timeout: 30_000 })
  expect(await sha256OfLink(app.url, await codeOf(page, film.name))).toBe(film.sha256)
})

test('a dropped file goes on by itself in another tab when its own is closed', async ({
  app,
  context,
  folder,
  noise,
  page,
  network,
}) => {
  noise.allow(brokenConnection)
  const film = await writeRandomFile(folder, 'film.mkv', 60 * mebibyte)
  await openDashboard(page, app, await makePerson(app))
  const other = await openSecondTab(context)
  const reached = network.holdAfter(30 * mebibyte)
  await dropFiles(page, [film.path])
  await reached

  await page.close()
  network.open()
  await expectUpload(other, film.name, 'Completed', { timeout: 30_000 })
  expect(await sha256OfLink(app.url, await codeOf(other, film.name))).toBe(film.sha256)
})

test('while a file is uploaded the screen stays on, and who leaves is asked', async ({
  app,
  context,
  folder,
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
  const film = await writeRandomFile(folder, 'film.mkv', 60 * mebibyte)
  await openDashboard(page, app, await makePerson(app))
  // A browser asks only on a page that somebody has used.
  await page.getByRole('heading', { level: 1 }).click()
  expect(await isKeptOn()).toBe(false)

  const reached = network.holdAfter(30 * mebibyte)
  await dropFiles(page, [film.path])
  await reached
  await expect.poll(isKeptOn).toBe(true)
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()

  network.open()
  await expectUpload(page, film.name, 'Completed', { timeout: 30_000 })
  await expect.poll(isKeptOn).toBe(false)
  const closed = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closed
})
