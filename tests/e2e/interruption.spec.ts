import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { serveApp } from '../support/app-server.ts'
import { freePort } from '../support/free-port.ts'
import { makeClient, sha256, signUp } from '../support/make.ts'
import { createDatabase } from '../support/postgres-server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { chooseFiles, fileRow, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { type Gate, startGate } from './support/gate.ts'
import { postgresUrl } from './support/postgres.ts'
import { test as base, expect } from './support/test.ts'

const size = 40 * 1024 * 1024
const arrived = 24 * 1024 * 1024

/** What the console says of it depends on where the connection broke. */
const brokenTransfer = /\/storage\/.*net::ERR_|net::ERR_.*\/storage\//

const test = base.extend<{ gate: Gate }>({
  gate: async ({}, use) => {
    const gate = await startGate()
    await use(gate)
    await gate.close()
  },

  app: async ({ gate }, use) => {
    const database = await createDatabase(postgresUrl(), 'migrated')
    const app = await serveApp(database, { env: { APP_URL: gate.url } })
    gate.forwardTo(app.deps.config.port)
    await use(app)
    await app.close()
  },
})

/** The offsets at which the browser began to send, in order. */
const watchOffsets = (page: Page): number[] => {
  const offsets: number[] = []
  page.on('request', (request) => {
    if (request.method() !== 'PUT') return
    const range = request.headers().range ?? 'bytes=0-'
    offsets.push(Number(/^bytes=(\d+)-$/.exec(range)?.[1]))
  })
  return offsets
}

const hashOfLink = async (page: Page, url: string, name: string): Promise<string> => {
  const link = await fileRow(page, name)
    .getByRole('link', { name: /^\/s\// })
    .getAttribute('href')
  const code = new URL(link ?? '', url).pathname.split('/').at(-1)
  const answer = await makeClient({ url }).fetch(`/api/download/${code}`)
  return sha256(new Uint8Array(await answer.arrayBuffer()))
}

test('a lost network: the upload goes on from what the server holds', async ({
  app,
  context,
  folder,
  gate,
  noise,
  page,
}) => {
  noise.expect(brokenTransfer)
  const person = await signUp(app)
  const file = await writeRandomFile(folder, 'footage.mov', size)
  await openDashboard(page, app, person)
  const offsets = watchOffsets(page)

  const { reached } = gate.holdAfter(arrived)
  await chooseFiles(page, [file.path])
  await reached
  await context.setOffline(true)
  gate.cut()
  await expect(page.getByText('Connection lost, trying again').last()).toBeVisible()
  await expect(page.getByText(/^Uploading footage\.mov\.\.\. \d+%$/)).toBeVisible()
  gate.open()
  await context.setOffline(false)

  await expect(page.getByText('Upload completed successfully!').last()).toBeVisible()
  await expect(fileRow(page, file.name)).toBeVisible()
  expect(offsets).toEqual([0, expect.any(Number)])
  expect(offsets[1]).toBeGreaterThan(arrived - 2 * 1024 * 1024)
  expect(offsets[1]).toBeLessThanOrEqual(arrived)
  expect(await hashOfLink(page, app.url, file.name)).toBe(file.sha256)
})

test('a server that is killed and started again: the upload goes on from what is on disk', async ({
  folder,
  gate,
  noise,
  visitor,
}) => {
  noise.expect(brokenTransfer)
  const settings = {
    dataDir: join(folder, 'data'),
    port: await freePort(),
    env: { APP_URL: gate.url },
  }
  gate.forwardTo(settings.port)
  let server = await startServerProcess(settings)
  try {
    const person = await signUp(server)
    const file = await writeRandomFile(folder, 'footage.mov', size)
    const page = await visitor({ baseURL: gate.url })
    await openDashboard(page, server, person)
    const offsets = watchOffsets(page)

    const { reached } = gate.holdAfter(arrived)
    await chooseFiles(page, [file.path])
    await reached
    server.kill('SIGKILL')
    await server.ended
    gate.cut()
    await expect(page.getByText('Connection lost, trying again').last()).toBeVisible()
    server = await startServerProcess(settings)
    gate.open()

    await expect(page.getByText('Upload completed successfully!').last()).toBeVisible({
      timeout: 30_000,
    })
    await expect(fileRow(page, file.name)).toBeVisible()
    expect(offsets.length).toBeGreaterThan(1)
    expect(offsets.at(-1)).toBeGreaterThan(0)
    expect(offsets.at(-1)).toBeLessThanOrEqual(arrived)
    expect(await hashOfLink(page, server.url, file.name)).toBe(file.sha256)
  } finally {
    server.kill('SIGTERM')
    await server.ended
  }
})
