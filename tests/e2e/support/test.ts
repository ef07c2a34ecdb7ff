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
import { type ErrorWatcher, watchForErrors } from './error-watcher.ts'
import { getPostgresUrl, getRunFolder } from './run.ts'

export interface Fixtures {
  /** A server for this test. Its clock advances only when the test advances it. */
  app: TestApp
  /**
   * Collects console errors, uncaught errors and failed requests. Unexpected ones fail the test.
   */
  errors: ErrorWatcher
  /** Opens a page in a separate, signed-out browser context. */
  visitor: (options?: BrowserContextOptions) => Promise<Page>
  /** An empty temporary directory. */
  folder: string
}

/**
 * Intercepts file dialogs on each page as soon as it opens, before a key press can open a dialog.
 */
function interceptFileDialogs(context: BrowserContext) {
  return context.on('page', (page) => page.on('filechooser', () => {}))
}

export const test = base.extend<Fixtures>({
  app: async ({}, use) => {
    const app = await serveApp(await createDatabase(getPostgresUrl(), 'migrated'))
    await use(app)
    await app.close()
  },

  baseURL: async ({ app }, use) => use(app.url),

  errors: [
    async ({}, use) => {
      const errors = watchForErrors()
      await use(errors)
      expect(errors.unexpectedErrors()).toEqual([])
    },
    { auto: true },
  ],

  context: async ({ context, errors }, use) => {
    interceptFileDialogs(context)
    await errors.watch(context)
    await use(context)
  },

  visitor: async ({ browser, baseURL, errors }, use) => {
    const contexts: { close(): Promise<void> }[] = []
    await use(async (options = {}) => {
      const context = await browser.newContext({ ...(baseURL && { baseURL }), ...options })
      contexts.push(context)
      interceptFileDialogs(context)
      await errors.watch(context)
      return context.newPage()
    })
    for (const context of contexts) await context.close()
  },

  folder: async ({}, use) => {
    const folder = await mkdtemp(join(getRunFolder(), 'test-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

export { expect }
