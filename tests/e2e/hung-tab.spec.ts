import type { Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { uploads } from '../../src/server/db/schema.ts'
import type { ChaosProxy } from '../support/chaos-proxy.ts'
import { makePerson } from '../support/make.ts'
import { chooseFiles, openDashboard, openSecondTab } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { brokenConnection, expect, test as onNetwork, stallAfter } from './support/network.ts'
import { expectArrived, expectUpload, pressCancel, uploadsPanel } from './support/uploads.ts'

const mebibyte = 1024 ** 2
/**
 * The film has eleven parts of 8 MiB, and at most five are being sent at the same time. So when
 * half of its bytes have been sent, at least one part is stored, and at least one has not begun.
 */
const test = onNetwork.extend({
  film: async ({ folder }, use) => use(await writeRandomFile(folder, 'film.mkv', 88 * mebibyte)),
})

/**
 * Makes a tab hang while it uploads. At most half of the film is sent. Then the tab hangs at the
 * moment when it would write its progress. Its scripts stop, but it keeps its lock and its
 * connections. Returns a function that lets the tab go on and write its old progress.
 */
async function hang(page: Page, network: ChaosProxy): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const { setItem } = Storage.prototype
    Storage.prototype.setItem = function (key, value) {
      setItem.call(this, key, value)
    }
  })
  const browser = await page.context().newCDPSession(page)
  await browser.send('Debugger.enable')
  const { result } = await browser.send('Runtime.evaluate', {
    expression: 'Storage.prototype.setItem',
  })
  if (result.objectId === undefined) throw new Error('Storage.prototype.setItem is no function.')
  await browser.send('Debugger.setBreakpointOnFunctionCall', { objectId: result.objectId })
  const stopped = new Promise((resolve) => browser.once('Debugger.paused', resolve))
  network.open()
  void network.holdAfter(44 * mebibyte)
  await stopped
  network.open()
  return () => browser.detach()
}

test('a tab that hangs is relieved by another, and gives it the bytes that it has when it runs again', async ({
  app,
  context,
  film,
  folder,
  network,
  noise,
  page,
}) => {
  noise.allow(brokenConnection)
  const song = await writeRandomFile(folder, 'song.flac', 51 * mebibyte)
  await openDashboard(page, app, await makePerson(app))
  const other = await openSecondTab(context)
  await stallAfter(network, mebibyte, () => chooseFiles(page, [film.path]))
  await expectUpload(other, film.name, 'Uploading')
  const runOn = await hang(page, network)
  await chooseFiles(other, [song.path])
  await expectArrived(other, app, song)
  await expectUpload(other, film.name, 'Paused')

  const sentByOther = other.waitForRequest((request) => request.method() === 'PUT')
  await runOn()
  await sentByOther
  await expectArrived(other, app, film)
  await expectUpload(page, film.name, 'Completed')
  await expectUpload(page, song.name, 'Completed')
})

test('an upload of a tab that hangs is cancelled in another, and does not come back with it', async ({
  app,
  context,
  film,
  network,
  noise,
  page,
}) => {
  noise.allow(brokenConnection)
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  const other = await openSecondTab(context)
  await stallAfter(network, mebibyte, () => chooseFiles(page, [film.path]))
  await expectUpload(other, film.name, 'Uploading')
  const runOn = await hang(page, network)
  await pressCancel(other, film.name)
  await expect(uploadsPanel(other)).toBeHidden()
  await runOn()
  await expect(uploadsPanel(page)).toBeHidden()
  const mine = () => app.deps.db.select().from(uploads).where(eq(uploads.ownerId, person.id))
  await expect.poll(mine).toEqual([])
  await other.reload()
  await expect(other.getByRole('heading', { name: 'Recent Files' })).toBeVisible()
  await expect(uploadsPanel(other)).toBeHidden()
})
