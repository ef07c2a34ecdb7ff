import { type Page, test } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'
import type { Noise } from './noise.ts'

/** What a function that opens a screen needs. */
export interface Stage {
  app: TestApp
  page: Page
  noise: Noise
  folder: string
}

/** Screens by their names, each with the steps that open it. */
export type Screens = Readonly<Record<string, (stage: Stage) => Promise<void>>>

/**
 * Opens screens one after another, and calls `look` for each. After each one it removes the routes
 * by which the screen answered requests itself, and restores the settings of the server. The page
 * and the signed-in user stay.
 */
export async function openEach(
  screens: Screens,
  stage: Stage,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const { config } = stage.app.deps
  const settings = { ...config }
  for (const [name, open] of Object.entries(screens)) {
    await test.step(name, async () => {
      await open(stage)
      await look(name)
      await stage.page.unrouteAll({ behavior: 'ignoreErrors' })
      Object.assign(config, settings)
    })
  }
}
