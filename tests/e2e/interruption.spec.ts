import type { BrowserContext } from '@playwright/test'
import type { TestApp } from '../support/app-server.ts'
import type { ChaosProxy } from '../support/chaos-proxy.ts'
import { signUp } from '../support/make.ts'
import { chooseFiles, dropFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import {
  connectionErrorPattern,
  countSentBytes,
  expect,
  expectNoWastedPuts,
  findWastedPuts,
  stallAfter,
  test,
} from './support/network.ts'
import { expectArrived, hashDownload, readShortCode } from './support/uploads.ts'

const mebibyte = 1024 ** 2
const maxInFlight = 5

type Interruption = (setup: { network: ChaosProxy; context: BrowserContext }) => Promise<void>

const goOffline: Interruption = async ({ network, context }) => {
  await context.setOffline(true)
  network.cut()
}
const resetConnections: Interruption = async ({ network }) => network.reset()
function respondWith(status: number): Interruption {
  return async ({ network }) => network.respondToPuts(status)
}
/** Breaks all connections while the browser still considers itself online. */
const cutNetwork: Interruption = async ({ network }) => network.cut()

/** Ten connection and server failures, in the order in which they occur. Most kinds occur twice. */
const interruptions: Interruption[] = [
  goOffline,
  cutNetwork,
  resetConnections,
  respondWith(403),
  respondWith(500),
  respondWith(503),
  resetConnections,
  respondWith(403),
  cutNetwork,
  goOffline,
]

function getPaths(files: readonly { path: string }[]) {
  return files.map(({ path }) => path)
}

/** Returns the number of bytes stored for the server's only upload. */
async function getStoredBytes({ storage }: TestApp): Promise<number> {
  for await (const { key } of storage.list()) return (await storage.storedSize(key)) ?? 0
  return 0
}

test('an upload survives ten network failures and resends only parts in flight', async ({
  app,
  context,
  folder,
  errors,
  page,
  network,
}) => {
  errors.expect(connectionErrorPattern)
  const file = await writeRandomFile(folder, 'footage.mov', 128 * mebibyte + 12_345)
  await openDashboard(page, app, await signUp(app))

  // At most five parts of 8 MiB are in flight, so after 44 MiB at least one is stored.
  let stallPromise = network.stallPutsAfter(44 * mebibyte)
  await dropFiles(page, [file.path])
  for (const interrupt of interruptions) {
    await stallPromise
    await interrupt({ network, context })
    network.restore()
    stallPromise = network.stallPutsAfter(9 * mebibyte)
    await context.setOffline(false)
  }
  network.restore()

  await expectArrived(page, app, file)
  // Each failure may cost at most the parts in flight.
  expect(findWastedPuts(network).length).toBeLessThanOrEqual(interruptions.length * maxInFlight)
  expectNoWastedPuts(network)
})

test('a stalled connection times out, and its parts are sent again', async ({
  app,
  folder,
  errors,
  page,
  network,
}) => {
  errors.allow(connectionErrorPattern)
  const file = await writeRandomFile(folder, 'footage.mov', 30 * mebibyte)
  await page.clock.install()
  await openDashboard(page, app, await signUp(app))

  await stallAfter(network, 18 * mebibyte, () => chooseFiles(page, [file.path]))
  const exchangeCount = network.exchanges.length
  // Once all bytes of a part are sent, the page allows extra time for the response. On a slow
  // machine, the page may notice this late, so advance the clock repeatedly.
  const waitTwoMinutes = async () => {
    await page.clock.fastForward(125_000)
    return network.exchanges.length
  }
  await expect.poll(waitTwoMinutes).toBeGreaterThan(exchangeCount)
  network.restore()

  await expect(page.getByText('Upload completed successfully!').last()).toBeVisible()
  expectNoWastedPuts(network)
  await expect(fileRow(page, file.name)).toBeVisible()
  expect(await hashDownload(app.url, await readShortCode(page, file.name))).toBe(file.sha256)
})

test('a small file resumes from the bytes on the server', async ({
  app,
  context,
  folder,
  errors,
  page,
  network,
}) => {
  errors.expect(connectionErrorPattern)
  const file = await writeRandomFile(folder, 'photo.raw', 7 * mebibyte)
  await openDashboard(page, app, await signUp(app))

  await stallAfter(network, 5 * mebibyte, () => chooseFiles(page, [file.path]))
  // The proxy may have forwarded bytes that the server hasn't stored yet.
  await expect.poll(() => getStoredBytes(app)).toBeGreaterThan(3 * mebibyte)
  await context.setOffline(true)
  network.cut()
  await expect(page.getByText('Connection lost, trying again').last()).toBeVisible()
  const exchangeCountBefore = network.exchanges.length
  network.restore()
  await context.setOffline(false)

  await expect(page.getByText('Upload completed successfully!').last()).toBeVisible()
  expect(countSentBytes(network, exchangeCountBefore)).toBeLessThan(4 * mebibyte)
  await expect(fileRow(page, file.name)).toBeVisible()
  expect(await hashDownload(app.url, await readShortCode(page, file.name))).toBe(file.sha256)
})

test('three uploads survive a ten-minute server outage', async ({
  app,
  folder,
  errors,
  page,
  network,
}) => {
  errors.expect(connectionErrorPattern)
  const files = await Promise.all(
    ['one.raw', 'two.raw', 'three.raw'].map((name) => writeRandomFile(folder, name, 2 * mebibyte)),
  )
  await page.clock.install()
  await openDashboard(page, app, await signUp(app))
  await page.getByRole('radio', { name: 'A link each' }).click()
  let failedCount = 0
  page.on('requestfailed', () => {
    failedCount += 1
  })

  await stallAfter(network, mebibyte, () => chooseFiles(page, getPaths(files)))
  network.cut()
  await expect(page.getByText('Connection lost, trying again').last()).toBeVisible()
  // The page retries at least every 39 seconds, so each step causes another retry.
  for (let seconds = 0; seconds < 600; seconds += 40) {
    const failedCountBefore = failedCount
    await page.clock.fastForward(40_000)
    await expect.poll(() => failedCount).toBeGreaterThan(failedCountBefore)
  }
  await expect(page.getByText('Connection lost, trying again').last()).toBeVisible()
  network.restore()
  await page.clock.fastForward(40_000)

  for (const { name, sha256 } of files) {
    await expect(fileRow(page, name)).toBeVisible()
    expect(await hashDownload(app.url, await readShortCode(page, name))).toBe(sha256)
  }
})
