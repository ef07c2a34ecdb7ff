import { networkInterfaces } from 'node:os'
import { serveApp } from '../support/app-server.ts'
import { signUp } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { chooseFiles, fileRow, fillLogin } from './support/dashboard.ts'
import { sha256OfFile, writeRandomFile } from './support/files.ts'
import { postgresUrl } from './support/run.ts'
import { test as base, expect } from './support/test.ts'

/** This machine's network address, or else a loopback address. */
const address =
  Object.values(networkInterfaces())
    .flat()
    .find((found) => found?.family === 'IPv4' && !found.internal)?.address ?? '127.0.0.1'

const test = base.extend({
  app: async ({}, use) => {
    const database = await createDatabase(postgresUrl(), 'migrated')
    const app = await serveApp(database, { env: { HOST: '0.0.0.0' } })
    await use(app)
    await app.close()
  },

  baseURL: async ({ app }, use) => use(`http://${address}:${app.deps.config.port}`),
})

/** Browsers honor this header only on HTTPS and loopback, and warn elsewhere. */
const openerPolicyIgnored = /Cross-Origin-Opener-Policy header has been ignored/

test('a server opened by its network address works completely', async ({
  app,
  baseURL,
  folder,
  noise,
  page,
  visitor,
}) => {
  if (address !== '127.0.0.1') noise.expect(openerPolicyIgnored)
  const person = await signUp(app)
  await page.goto('/login')
  await fillLogin(page, person)
  await expect(page.getByRole('heading', { name: /^Welcome back, / })).toBeVisible()
  // Only loopback addresses are redirected to the server's name.
  const { origin } = new URL(page.url())
  expect(origin).toBe(address === '127.0.0.1' ? app.url : baseURL)

  // One file in one piece, one in parts.
  const small = await writeRandomFile(folder, 'small.bin', 4000)
  const large = await writeRandomFile(folder, 'large.bin', 9 * 1024 * 1024)
  await chooseFiles(page, [small.path, large.path])

  const other = await visitor()
  for (const file of [small, large]) {
    const link = fileRow(page, file.name).getByRole('link', { name: /^\/s\// })
    await expect(link).toBeVisible()
    const address = `${origin}${await link.textContent()}`
    await other.goto(address)
    // The link has the address the page was opened by.
    expect(await other.content()).toContain(address)
    const started = other.waitForEvent('download')
    await other.getByRole('link', { name: 'Download File' }).click()
    expect(await sha256OfFile(await (await started).path())).toBe(file.sha256)
  }
})
