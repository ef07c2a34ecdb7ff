import type { Page } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'

/** Sets the server's and the pages' clocks. */
export async function setClocks(app: TestApp, pages: Page[]): Promise<void> {
  for (const page of pages) {
    await page.clock.install({ time: app.clock() })
    // Playwright replaces every clock of a page except this one.
    await page.addInitScript(() => {
      Object.defineProperty(performance, 'timeOrigin', { value: Date.now() })
    })
  }
}

/** Advances the server's and the pages' clocks. Afterwards the pages' clocks run. */
export async function pass(app: TestApp, pages: Page[], milliseconds: number): Promise<void> {
  // Pages correct their clock by responses. One arriving between the two steps would count the time
  // twice, so wait for running requests.
  for (const page of pages) await page.waitForLoadState('networkidle')
  app.clock.advance(milliseconds)
  for (const page of pages) await page.clock.fastForward(milliseconds)
}
