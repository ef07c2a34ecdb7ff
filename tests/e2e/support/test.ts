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
import { listenForNoise, type Noise } from './noise.ts'
import { postgresUrl, runFolder } from './run.ts'

export interface Fixtures {
  /** A server for this test only. Its clock stands still until the test sets it. */
  app: TestApp
  /** Fails the test if the console, a page or a request reports an error. */
  noise: Noise
  /** Opens a page in a new browser context, for another person who is not signed in. */
  visitor: (options?: BrowserContextOptions) => Promise<Page>
  /** An empty folder that is removed after the test. */
  folder: string
}

/**
 * Handles the file dialogs of every page as soon as the page exists. If a test did it later, a key
 * could already have opened a dialog.
 */
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
      const noise = listenForNoise()
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
