import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import type { TestApp } from '../support/app-server.ts'
import type { ChaosProxy } from '../support/chaos-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { signUp } from '../support/make.ts'
import { startServerProcess } from '../support/server-process.ts'
import { chooseFiles, dropFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import {
  brokenConnection,
  expect,
  expectNoWaste,
  sentSince,
  stallAfter,
  test,
  wastedPuts,
} from './support/network.ts'
import { codeOf, expectArrived, sha256OfLink, uploadItem } from './support/uploads.ts'

const mebibyte = 1024 ** 2
/** The page sends at most this many parts in parallel. */
const maxInFlight = 5

type Cut = (at: { network: ChaosProxy; context: BrowserContext }) => Promise<void>

const offline: Cut = async ({ network, context }) => {
  await context.setOffline(true)
  network.cut()
}
const reset: Cut = async ({ network }) => network.reset()
function answer(status: number): Cut {
  return async ({ network }) => network.answerPuts(status)
}
/** All connections break, but the browser believes that it is online. */
const dead: Cut = async ({ network }) => network.cut()

/** Ten failures of the connection or the server, in this order. Most ways to fail come twice. */
const cuts: Cut[] = [
  offline,
  dead,
  reset,
  answer(403),
  answer(500),
  answer(503),
  reset,
  answer(403),
  dead,
  offline,
]

function paths(files: readonly { path: string }[]) {
  return files.map(({ path }) => path)
}

/** Returns how many bytes of the server's only upload are stored. */
async function storedBytes({ storage }: TestApp): Promise<number> {
  for await (const { key } of storage.list()) return (await storage.storedSize(key)) ?? 0
  return 0
}

test('a network cut ten times: the upload finishes by itself and sends little twice', async ({
  app,
  context,
  folder,
  noise,
  page,
  network,
}) => {
  noise.expect(brokenConnection)
  const file = await writeRandomFile(folder, 'footage.mov', 128 * mebibyte + 12_345)
  await openDashboard(page, app, await signUp(app))

  // At least one part is stored by then, because the five parts that are being sent have 40 MiB at
  // most.
  let reached = network.holdAfter(44 * mebibyte)
  await dropFiles(page, [file.path])
  for (const cut of cuts) {
    await reached
    await cut({ network, context })
    network.open()
    reached = network.holdAfter(9 * mebibyte)
    await context.setOffline(false)
  }
  network.open()

  await expectArrived(page, app, file)
  // For each failure, at most those parts are sent again that were being sent at that moment.
  expect(wastedPuts(network).length).toBeLessThanOrEqual(cuts.length * maxInFlight)
  expectNoWaste(network)
})

test('a connection in which nothing moves is given up, and its parts are sent anew', async ({
  app,
  folder,
  noise,
  page,
  network,
}) => {
  noise.allow(brokenConnection)
  const file = await writeRandomFile(folder, 'footage.mov', 30 * mebibyte)
  await page.clock.install()
  await openDashboard(page, app, await signUp(app))

  await stallAfter(network, 18 * mebibyte, () => chooseFiles(page, [file.path]))
  const known = network.exchanges.length
  // When all bytes of a part have been sent, the page waits longer, because only the answer is
  // missing. On a slow machine, the page learns only after this step that the bytes have been sent.
  const afterTwoMinutes = async () => {
    await page.clock.fastForward(125_000)
    return network.exchanges.length
  }
  await expect.poll(afterTwoMinutes).toBeGreaterThan(known)
  network.open()

  await expect(page.getByText('Upload completed successfully!').last()).toBeVisible()
  expectNoWaste(network)
  await expect(fileRow(page, file.name)).toBeVisible()
  expect(await sha256OfLink(app.url, await codeOf(page, file.name))).toBe(file.sha256)
})

test('a small file goes on from the bytes that the server holds', async ({
  app,
  context,
  folder,
  noise,
  page,
  network,
}) => {
  noise.expect(brokenConnection)
  const file = await writeRandomFile(folder, 'photo.raw', 7 * mebibyte)
  await openDashboard(page, app, await signUp(app))

  await stallAfter(network, 5 * mebibyte, () => chooseFiles(page, [file.path]))
  // Bytes that have passed the proxy may not be in the file yet.
  await expect.poll(() => storedBytes(app)).toBeGreaterThan(3 * mebibyte)
  await context.setOffline(true)
  network.cut()
  await expect(page.getByText('Connection lost, trying again').last()).toBeVisible()
  const before = network.exchanges.length
  network.open()
  await context.setOffline(false)

  await expect(page.getByText('Upload completed successfully!').last()).toBeVisible()
  expect(sentSince(network, before)).toBeLessThan(4 * mebibyte)
  await expect(fileRow(page, file.name)).toBeVisible()
  expect(await sha256OfLink(app.url, await codeOf(page, file.name))).toBe(file.sha256)
})

test('a server that is away for ten minutes: of three files none is lost', async ({
  app,
  folder,
  noise,
  page,
  network,
}) => {
  noise.expect(brokenConnection)
  const files = await Promise.all(
    ['one.raw', 'two.raw', 'three.raw'].map((name) => writeRandomFile(folder, name, 2 * mebibyte)),
  )
  await page.clock.install()
  await openDashboard(page, app, await signUp(app))
  let failed = 0
  page.on('requestfailed', () => {
    failed += 1
  })

  await stallAfter(network, mebibyte, () => chooseFiles(page, paths(files)))
  network.cut()
  await expect(page.getByText('Connection lost, trying again').last()).toBeVisible()
  // No wait between tries is longer than 39 seconds. So each step of 40 seconds causes another try.
  for (let seconds = 0; seconds < 600; seconds += 40) {
    const before = failed
    await page.clock.fastForward(40_000)
    await expect.poll(() => failed).toBeGreaterThan(before)
  }
  await expect(page.getByText('Connection lost, trying again').last()).toBeVisible()
  network.open()
  await page.clock.fastForward(40_000)

  for (const { name, sha256 } of files) {
    await expect(fileRow(page, name)).toBeVisible()
    expect(await sha256OfLink(app.url, await codeOf(page, name))).toBe(sha256)
  }
})

test('a server that is killed and started again: the upload goes on from what is on disk', async ({
  folder,
  noise,
  network,
  visitor,
}) => {
  noise.expect(brokenConnection)
  const settings = {
    dataDir: join(folder, 'data'),
    port: await freePort(),
    env: { APP_URL: network.url },
  }
  network.forwardTo(settings.port)
  let server = await startServerProcess(settings)
  try {
    const person = await signUp(server)
    const file = await writeRandomFile(folder, 'footage.mov', 60 * mebibyte + 1)
    const page = await visitor({ baseURL: network.url })
    await openDashboard(page, server, person)

    await stallAfter(network, 44 * mebibyte, () => chooseFiles(page, [file.path]))
    server.kill('SIGKILL')
    await server.ended
    network.cut()
    await expect(
      uploadItem(page, file.name).getByText('Connection lost, trying again'),
    ).toBeVisible()
    server = await startServerProcess(settings)
    network.open()

    await expectArrived(page, server, file)
    expectNoWaste(network)
  } finally {
    server.kill('SIGTERM')
    await server.ended
  }
})
