import { type Page, test } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'
import type { ErrorWatcher } from './error-watcher.ts'

export interface ScreenContext {
  app: TestApp
  page: Page
  errors: ErrorWatcher
  folder: string
}

export type Screens = Readonly<Record<string, (context: ScreenContext) => Promise<void>>>

/**
 * Opens the screens one after another and checks each. In between, resets routes and settings but
 * keeps the page and the user.
 */
export async function openEach(
  screens: Screens,
  context: ScreenContext,
  check: (name: string) => Promise<void>,
): Promise<void> {
  const { config } = context.app.deps
  const originalConfig = { ...config }
  for (const [name, open] of Object.entries(screens)) {
    await test.step(name, async () => {
      await open(context)
      await check(name)
      await context.page.unrouteAll({ behavior: 'ignoreErrors' })
      Object.assign(config, originalConfig)
    })
  }
}
