import { expect, type Page, type Request } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'

/** A page's requests under way, and when the last one began or ended. */
const traffic = new WeakMap<Page, { pending: Set<Request>; changedAt: number }>()

const quietMs = 500

function watchTraffic(page: Page): void {
  const state = { pending: new Set<Request>(), changedAt: Date.now() }
  traffic.set(page, state)
  const change = (work: (request: Request) => void) => (request: Request) => {
    work(request)
    state.changedAt = Date.now()
  }
  page.on(
    'request',
    change((request) => state.pending.add(request)),
  )
  page.on(
    'requestfinished',
    change((request) => state.pending.delete(request)),
  )
  page.on(
    'requestfailed',
    change((request) => state.pending.delete(request)),
  )
}

/** Waits until a page has sent and received nothing for half a second from now. */
function waitUntilQuiet(page: Page): Promise<void> {
  const since = Date.now()
  const state = traffic.get(page)
  if (!state) throw new Error('Call setClocks first.')
  const isQuiet = () =>
    state.pending.size === 0 && Date.now() - Math.max(state.changedAt, since) > quietMs
  return expect.poll(isQuiet, 'the page still loads something').toBe(true)
}

/** Sets the pages' clocks to the server's time. */
export async function setClocks(app: TestApp, pages: Page[]): Promise<void> {
  for (const page of pages) {
    watchTraffic(page)
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
  // twice. The load state 'networkidle' may have been reached before the application's requests.
  for (const page of pages) await waitUntilQuiet(page)
  app.clock.advance(milliseconds)
  for (const page of pages) await page.clock.fastForward(milliseconds)
}
