import type { Page } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'

/** Sets the clocks of the server and of the pages to the same moment. */
export async function setClocks(app: TestApp, pages: Page[]): Promise<void> {
  for (const page of pages) {
    await page.clock.install({ time: app.clock() })
    // Playwright replaces every clock of a page except this one.
    await page.addInitScript(() => {
      Object.defineProperty(performance, 'timeOrigin', { value: Date.now() })
    })
  }
}

/**
 * Advances the clocks of the server and of the pages. After that, the pages' clocks run on by
 * themselves.
 */
export async function pass(app: TestApp, pages: Page[], milliseconds: number): Promise<void> {
  // A page corrects its clock by the server's answers. If one arrived between the two steps below,
  // the page would count the time twice. So wait until no request is running.
  for (const page of pages) await page.waitForLoadState('networkidle')
  app.clock.advance(milliseconds)
  for (const page of pages) await page.clock.fastForward(milliseconds)
}
