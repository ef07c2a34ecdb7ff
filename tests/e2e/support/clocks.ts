import type { Page } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'

/** Sets the server's clock and the pages' clocks to the same moment. */
export async function setClocks(app: TestApp, pages: Page[]): Promise<void> {
  for (const page of pages) {
    await page.clock.install({ time: app.clock() })
    // Playwright sets every clock of a page but this one.
    await page.addInitScript(() => {
      Object.defineProperty(performance, 'timeOrigin', { value: Date.now() })
    })
  }
}

/** Lets time pass for the server and the pages. The pages' clocks then go on by themselves. */
export async function pass(app: TestApp, pages: Page[], milliseconds: number): Promise<void> {
  // An answer that comes between the two steps would count the time twice for its page.
  for (const page of pages) await page.waitForLoadState('networkidle')
  app.clock.advance(milliseconds)
  for (const page of pages) await page.clock.fastForward(milliseconds)
}
