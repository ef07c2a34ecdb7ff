import { networkInterfaces } from 'node:os'
import { serveApp } from '../support/app-server.ts'
import { signUp } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { chooseFiles, fileRow, fillLogin } from './support/dashboard.ts'
import { hashFile, writeRandomFile } from './support/files.ts'
import { getPostgresUrl } from './support/run.ts'
import { test as base, expect } from './support/test.ts'

/** This machine's address on the local network, or a loopback address if it isn't on one. */
const address =
  Object.values(networkInterfaces())
    .flat()
    .find((networkAddress) => networkAddress?.family === 'IPv4' && !networkAddress.internal)
    ?.address ?? '127.0.0.1'

const test = base.extend({
  app: async ({}, use) => {
    const database = await createDatabase(getPostgresUrl(), 'migrated')
    const app = await serveApp(database, { env: { HOST: '0.0.0.0' } })
    await use(app)
    await app.close()
  },

  baseURL: async ({ app }, use) => use(`http://${address}:${app.deps.config.port}`),
})

/**
 * Browsers honor this header only on HTTPS and loopback addresses. Elsewhere they log a warning.
 */
const openerPolicyWarning = /Cross-Origin-Opener-Policy header has been ignored/

test('everything works when the server is opened by its IP address', async ({
  app,
  baseURL,
  folder,
  errors,
  page,
  visitor,
}) => {
  if (address !== '127.0.0.1') errors.expect(openerPolicyWarning)
  const person = await signUp(app)
  await page.goto('/login')
  await fillLogin(page, person)
  await expect(
    page.locator('#content').getByRole('heading', { name: /^Welcome back, / }),
  ).toBeVisible()
  // Only loopback addresses are redirected to the server's name.
  const { origin } = new URL(page.url())
  expect(origin).toBe(address === '127.0.0.1' ? app.url : baseURL)

  // One file is small enough for a single request, and the other is sent in parts.
  const smallFile = await writeRandomFile(folder, 'small.bin', 4000)
  const largeFile = await writeRandomFile(folder, 'large.bin', 9 * 1024 * 1024)
  await page.getByRole('radio', { name: 'A link each' }).click()
  await chooseFiles(page, [smallFile.path, largeFile.path])

  const otherPage = await visitor()
  for (const file of [smallFile, largeFile]) {
    const link = fileRow(page, file.name).getByRole('link', { name: /^\/s\// })
    await expect(link).toBeVisible()
    const address = `${origin}${await link.textContent()}`
    await otherPage.goto(address)
    // The link contains the address that the browser used.
    expect(await otherPage.content()).toContain(address)
    const downloadPromise = otherPage.waitForEvent('download')
    await otherPage.getByRole('link', { name: 'Download File' }).click()
    expect(await hashFile(await (await downloadPromise).path())).toBe(file.sha256)
  }
})
