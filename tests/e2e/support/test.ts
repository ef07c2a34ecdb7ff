import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  expect,
  type Page,
} from '@playwright/test'
import { serveApp, type TestApp } from '../../support/app-server.ts'
import { createDatabase } from '../../support/postgres-server.ts'
import { listenForErrors, type Noise } from './noise.ts'
import { postgresUrl, runFolder } from './run.ts'

export interface Fixtures {
  /** A server for this test. Only the test advances its clock. */
  app: TestApp
  /** Fails the test on console errors, uncaught errors and failed requests. */
  noise: Noise
  /** Opens a page for another, signed-out user. */
  visitor: (options?: BrowserContextOptions) => Promise<Page>
  /** An empty temporary directory. */
  folder: string
}

/** Intercepts file dialogs on every page from the start, before a key press can open one. */
function takeFileDialogs(context: BrowserContext) {
  return context.on('page', (page) => page.on('filechooser', () => {}))
}

export const test = base.extend<Fixtures>({
  app: async ({}, use) => {
    const app = await serveApp(await createDatabase(postgresUrl(), 'migrated'))
    await use(app)
    await app.close()
  },

  baseURL: async ({ app }, use) => use(app.url),

  noise: [
    async ({}, use) => {
      const noise = listenForErrors()
      await use(noise)
      expect(noise.faults()).toEqual([])
    },
    { auto: true },
  ],

  context: async ({ context, noise }, use) => {
    takeFileDialogs(context)
    await noise.watch(context)
    await use(context)
  },

  visitor: async ({ browser, baseURL, noise }, use) => {
    const contexts: { close(): Promise<void> }[] = []
    await use(async (options = {}) => {
      const context = await browser.newContext({ ...(baseURL && { baseURL }), ...options })
      contexts.push(context)
      takeFileDialogs(context)
      await noise.watch(context)
      return context.newPage()
    })
    for (const context of contexts) await context.close()
  },

  folder: async ({}, use) => {
    const folder = await mkdtemp(join(runFolder(), 'test-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

export { expect }
