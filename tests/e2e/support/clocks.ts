import type { Page } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'

/** Sets the pages' clocks to the server's time. */
export async function setClocks(app: TestApp, pages: Page[]): Promise<void> {
  for (const page of pages) {
    await page.clock.install({ time: app.clock() })
    // Playwright fakes all of a page's clocks except this one.
    await page.addInitScript(() => {
      Object.defineProperty(performance, 'timeOrigin', { value: Date.now() })
    })
  }
}

/** Advances the server's clock and the pages' clocks. The pages' clocks also keep running. */
export async function advanceClocks(
  app: TestApp,
  pages: Page[],
  milliseconds: number,
): Promise<void> {
  // Pages set their clock from responses. A response between these two steps would count the time
  // twice, so wait for pending requests.
  for (const page of pages) await page.waitForLoadState('networkidle')
  app.clock.advance(milliseconds)
  for (const page of pages) await page.clock.fastForward(milliseconds)
}
