import { serveApp } from '../support/app-server.ts'
import { makePerson } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { startSlowNetwork } from '../support/slow-network.ts'
import { dropFiles, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { connectionErrorPattern, expect, test as onNetwork } from './support/network.ts'
import { getPostgresUrl } from './support/run.ts'
import { expectUpload, hashDownload, readShortCode, uploadItem } from './support/uploads.ts'

const mebibyte = 1024 ** 2

/** The browser connects through a simulated slow network to the proxy that counts bytes. */
const test = onNetwork.extend({
  app: async ({ network }, use) => {
    const slowNetwork = await startSlowNetwork({ bytesPerSecond: 6 * mebibyte, delayMs: 100 })
    slowNetwork.forwardTo(Number(new URL(network.url).port))
    const database = await createDatabase(getPostgresUrl(), 'migrated')
    const app = await serveApp(database, { env: { APP_URL: slowNetwork.url } })
    network.forwardTo(app.deps.config.port)
    await use(app)
    await app.close()
    await slowNetwork.close()
  },
})

test('on a slow connection, speed and time left are shown, and expired part URLs are replaced', async ({
  app,
  folder,
  errors,
  page,
  network,
}) => {
  // The server rejects a part with an expired URL before it has read the whole body, then closes
  // the connection.
  errors.allow(/403 \(Forbidden\).*\/storage\//)
  errors.allow(connectionErrorPattern)
  const file = await writeRandomFile(folder, 'footage.mov', 51 * mebibyte)
  await openDashboard(page, app, await makePerson(app))

  await dropFiles(page, [file.path])
  // By now the first parts are in flight, and others are queued.
  const putExchanges = () => network.exchanges.filter(({ method }) => method === 'PUT')
  await expect.poll(() => putExchanges().length).toBeGreaterThan(0)
  // Part URLs are valid for an hour, so all URLs signed so far have expired.
  app.clock.advance(2 * 3_600_000)
  const item = uploadItem(page, file.name)
  // The displayed speed is at most that of the simulated network, but may be lower on a slow
  // machine.
  const speedText = item.getByText(/^\d+% · ([1-6](\.\d)? MB|\d+(\.\d)? KB)\/s$/)
  // Wait for both in parallel, because each is visible only for a while.
  const timeLeftText = item.getByText(/ left$/)
  await Promise.all([expect(speedText).toBeVisible(), expect(timeLeftText).toBeVisible()])

  await expectUpload(page, file.name, 'Completed')
  const signRequests = network.exchanges.filter(({ url }) => url === '/api/files/upload-parts')
  // The response that started the upload had URLs for all seven parts, so these requests replaced
  // expired ones.
  expect(signRequests.length).toBeGreaterThan(0)
  // Download directly from the server, because the network is slow in both directions.
  const directUrl = `http://127.0.0.1:${app.deps.config.port}`
  expect(await hashDownload(directUrl, await readShortCode(page, file.name))).toBe(file.sha256)
})
