import type { Page } from '@playwright/test'
import { makePerson } from '../support/make.ts'
import { chooseFiles, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import {
  connectionErrorPattern,
  countSentBytes,
  countStoredPuts,
  expect,
  reopen,
  stallAfter,
  test,
} from './support/network.ts'
import { dropOnUpload, expectArrived, expectUpload, uploadItem } from './support/uploads.ts'

const mebibyte = 1024 ** 2
const partSize = 8 * mebibyte
const partCount = 13
const maxInFlight = 5
/**
 * After this many bytes, 60 % of the parts are complete. The remaining bytes belong to parts in
 * flight.
 */
const bytesBeforeStall = (partCount * 0.6 + maxInFlight) * partSize

async function crash(page: Page) {
  const browser = await page.context().newCDPSession(page)
  const crashPromise = page.waitForEvent('crash')
  // The page crashes before it can respond to this command, so don't wait for a response.
  browser.send('Page.crash').catch(() => {})
  await crashPromise
  await page.close()
}

test('after a tab crashed at 60 %, the same file resumes from the stored parts', async ({
  app,
  folder,
  errors,
  page,
  network,
}) => {
  errors.allow(connectionErrorPattern)
  const size = partCount * partSize
  const file = await writeRandomFile(folder, 'footage.mov', size)
  const otherFile = await writeRandomFile(folder, 'holiday.mov', size)
  await openDashboard(page, app, await makePerson(app))

  // Files from a file input have no handle. Only this page can read them, and only until it
  // closes or reloads.
  await stallAfter(network, bytesBeforeStall, () => chooseFiles(page, [file.path]))
  await expect.poll(() => countStoredPuts(network)).toBeGreaterThanOrEqual(partCount * 0.6)
  const secondPage = await reopen(page, network, crash)
  const exchangeCountBefore = network.exchanges.length
  await expectUpload(secondPage, file.name, 'Paused')
  await expect(uploadItem(secondPage, file.name).getByText('Upload paused')).toBeVisible()

  await dropOnUpload(secondPage, otherFile.path, file.name)
  await expect(
    secondPage.getByText(/holiday\.mov.*footage\.mov|footage\.mov.*holiday\.mov/),
  ).toBeVisible()
  await expectUpload(secondPage, file.name, 'Paused')
  expect(countSentBytes(network, exchangeCountBefore)).toBe(0)

  await dropOnUpload(secondPage, file.path, file.name)
  await expectArrived(secondPage, app, file)
  expect(countSentBytes(network, exchangeCountBefore)).toBeLessThan(size * 0.45)
})
