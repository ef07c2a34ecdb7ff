import type { BrowserContext } from '@playwright/test'
import type { ChaosProxy } from '../support/chaos-proxy.ts'
import { makePerson } from '../support/make.ts'
import { dropFiles, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { connectionErrorPattern, expectNoWastedPuts, test } from './support/network.ts'
import { expectArrived } from './support/uploads.ts'

const mebibyte = 1024 ** 2

type Interruption = (setup: { network: ChaosProxy; context: BrowserContext }) => Promise<void>

/** Connection and server failures, in the order in which they occur. */
const interruptions: Interruption[] = [
  async ({ network, context }) => {
    await context.setOffline(true)
    network.cut()
  },
  // The browser still considers itself online.
  async ({ network }) => network.reset(),
  async ({ network }) => network.respondToPuts(403),
  async ({ network }) => network.respondToPuts(503),
]

test('an upload survives network failures and resends only parts in flight', async ({
  app,
  context,
  folder,
  errors,
  page,
  network,
}) => {
  errors.expect(connectionErrorPattern)
  const file = await writeRandomFile(folder, 'footage.mov', 51 * mebibyte)
  await openDashboard(page, app, await makePerson(app))

  let stallPromise = network.stallPutsAfter(20 * mebibyte)
  await dropFiles(page, [file.path])
  for (const interrupt of interruptions) {
    await stallPromise
    await interrupt({ network, context })
    network.restore()
    stallPromise = network.stallPutsAfter(6 * mebibyte)
    await context.setOffline(false)
  }
  network.restore()

  await expectArrived(page, app, file)
  expectNoWastedPuts(network)
})
