import { serveApp } from '../support/app-server.ts'
import { makePerson } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { startSlowLine } from '../support/slow-line.ts'
import { dropFiles, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { brokenConnection, expect, test as onNetwork } from './support/network.ts'
import { postgresUrl } from './support/run.ts'
import { codeOf, expectUpload, sha256OfLink, uploadItem } from './support/uploads.ts'

const mebibyte = 1024 ** 2

/**
 * The browser reaches the server through a simulated slow line, and then through the proxy that
 * counts bytes.
 */
const test = onNetwork.extend({
  app: async ({ network }, use) => {
    const line = await startSlowLine({ bytesPerSecond: 6 * mebibyte, delayMs: 100 })
    line.forwardTo(Number(new URL(network.url).port))
    const database = await createDatabase(postgresUrl(), 'migrated')
    const app = await serveApp(database, { env: { APP_URL: line.url } })
    network.forwardTo(app.deps.config.port)
    await use(app)
    await app.close()
    await line.close()
  },
})

test('a slow line: speed and time left are told, and signatures outlived', async ({
  app,
  folder,
  noise,
  page,
  network,
}) => {
  // When the URL of a part has expired, the server refuses the part before it has the whole body,
  // and closes the connection.
  noise.allow(/403 \(Forbidden\).*\/storage\//)
  noise.allow(brokenConnection)
  const file = await writeRandomFile(folder, 'footage.mov', 51 * mebibyte)
  await openDashboard(page, app, await makePerson(app))

  await dropFiles(page, [file.path])
  // At this moment the first parts are being sent, and others still wait.
  const puts = () => network.exchanges.filter(({ method }) => method === 'PUT')
  await expect.poll(() => puts().length).toBeGreaterThan(0)
  // The URL of a part is valid for an hour. So all URLs that were signed so far have expired now.
  app.clock.advance(2 * 3_600_000)
  const item = uploadItem(page, file.name)
  // The shown speed is at most that of the line. How much less it is depends on the machine.
  const speed = item.getByText(/^\d+% · ([1-6](\.\d)? MB|\d+(\.\d)? KB)\/s$/)
  // The test waits for both in parallel, because each is shown only for a while.
  const timeLeft = item.getByText(/ left$/)
  await Promise.all([expect(speed).toBeVisible(), expect(timeLeft).toBeVisible()])

  await expectUpload(page, file.name, 'Completed')
  const signings = network.exchanges.filter(({ url }) => url === '/api/files/upload-parts')
  // The answer to the start had contained the URLs of all seven parts.
  expect(signings.length).toBeGreaterThan(0)
  // This download bypasses the line, because the line is slow in that direction too.
  const direct = `http://127.0.0.1:${app.deps.config.port}`
  expect(await sha256OfLink(direct, await codeOf(page, file.name))).toBe(file.sha256)
})
