import type { Page } from '@playwright/test'
import { makePerson } from '../support/make.ts'
import { chooseFiles, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import {
  brokenConnection,
  expect,
  reopen,
  sentSince,
  stallAfter,
  storedPuts,
  test,
} from './support/network.ts'
import { dropOnUpload, expectArrived, expectUpload, uploadItem } from './support/uploads.ts'

const mebibyte = 1024 ** 2
const partSize = 8 * mebibyte
const partCount = 13
const maxInFlight = 5
/**
 * After this many bytes, 60 % of the parts are complete. The other bytes belong to parts in flight.
 */
const enough = (partCount * 0.6 + maxInFlight) * partSize

async function crash(page: Page) {
  const browser = await page.context().newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  // The page crashes, so this command never returns.
  browser.send('Page.crash').catch(() => {})
  await crashed
  await page.close()
}

for (const [how, end] of [
  ['closed', (page: Page) => page.close()],
  ['crashed', crash],
] as const) {
  test(`after a tab ${how} at 60 %, the same file resumes from the stored parts`, async ({
    app,
    folder,
    noise,
    page,
    network,
  }) => {
    noise.allow(brokenConnection)
    const size = partCount * partSize
    const file = await writeRandomFile(folder, 'footage.mov', size)
    const other = await writeRandomFile(folder, 'holiday.mov', size)
    await openDashboard(page, app, await makePerson(app))

    // Files from a file input have no handle. Only this page can read them, and only until it
    // closes or reloads.
    await stallAfter(network, enough, () => chooseFiles(page, [file.path]))
    await expect.poll(() => storedPuts(network)).toBeGreaterThanOrEqual(partCount * 0.6)
    const again = await reopen(page, network, end)
    const before = network.exchanges.length
    await expectUpload(again, file.name, 'Paused')
    await expect(uploadItem(again, file.name).getByText('Upload paused')).toBeVisible()

    await dropOnUpload(again, other.path, file.name)
    await expect(
      again.getByText(/holiday\.mov.*footage\.mov|footage\.mov.*holiday\.mov/),
    ).toBeVisible()
    await expectUpload(again, file.name, 'Paused')
    expect(sentSince(network, before)).toBe(0)

    await dropOnUpload(again, file.path, file.name)
    await expectArrived(again, app, file)
    expect(sentSince(network, before)).toBeLessThan(size * 0.45)
  })
}
