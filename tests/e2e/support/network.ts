import type { Page } from '@playwright/test'
import { serveApp } from '../../support/app-server.ts'
import { type ChaosProxy, type Exchange, startChaosProxy } from '../../support/chaos-proxy.ts'
import { createDatabase } from '../../support/postgres-server.ts'
import { reloadAnyway } from './dashboard.ts'
import { type DiskFile, writeRandomFile } from './files.ts'
import { postgresUrl } from './run.ts'
import { test as base, expect } from './test.ts'

/**
 * Matches the messages on the browser's console about a transfer whose connection broke. The
 * message depends on where the connection broke.
 */
export const brokenConnection = /net::ERR_|Failed to load resource/

const mebibyte = 1024 ** 2

/**
 * Tests in which all bytes and calls between browser and server pass a proxy. A test can make the
 * proxy fail.
 */
export const test = base.extend<{
  network: ChaosProxy
  /** A file that is large enough to be uploaded in the background and in several parts. */
  film: DiskFile
}>({
  network: async ({}, use) => {
    const network = await startChaosProxy()
    await use(network)
    await network.close()
  },

  film: async ({ folder }, use) => use(await writeRandomFile(folder, 'film.mkv', 51 * mebibyte)),

  app: async ({ network }, use) => {
    const database = await createDatabase(postgresUrl(), 'migrated')
    const app = await serveApp(database, { env: { APP_URL: network.url } })
    network.forwardTo(app.deps.config.port)
    await use(app)
    await app.close()
  },
})

/**
 * Begins an upload and lets `bytes` bytes of it pass. After that nothing passes until
 * `network.open`.
 */
export async function stallAfter(
  network: ChaosProxy,
  bytes: number,
  begin: () => Promise<void>,
): Promise<void> {
  const reached = network.holdAfter(bytes)
  await begin()
  await reached
}

/**
 * Reloads the page while nothing passes, and loses what it has sent meanwhile. The kernel may have
 * taken whole parts from the browser. They would arrive after `network.open`, without the page.
 */
export async function reloadWhileStalled(page: Page, network: ChaosProxy): Promise<void> {
  await reloadAnyway(page)
  network.reset()
}

/**
 * Ends a tab and cuts its connections. Then opens the dashboard in a new tab.
 * @param end ends the tab. By default the tab is closed.
 */
export async function reopen(
  page: Page,
  network: ChaosProxy,
  end = (page: Page) => page.close(),
): Promise<Page> {
  const context = page.context()
  await end(page)
  network.cut()
  const again = await context.newPage()
  network.open()
  await again.goto('/')
  return again
}

/**
 * Returns how many bytes all PUTs after the first `since` requests have sent. Bytes that were sent
 * twice count twice.
 */
export function sentSince(network: ChaosProxy, since = 0): number {
  return network.exchanges
    .slice(since)
    .reduce((sum, one) => sum + (isPut(one) ? one.bodyBytes : 0), 0)
}

/** Returns a name for the part that a PUT sends, to our own storage or to a bucket. */
function partOf({ url }: Exchange): string {
  const { pathname, searchParams } = new URL(url, 'http://any')
  return `${pathname} ${searchParams.get('part') ?? searchParams.get('partNumber')}`
}

/** Returns the PUTs that were useless, because another PUT sent the same part later. */
export function putsInVain(network: ChaosProxy): Exchange[] {
  const puts = network.exchanges.filter(isPut)
  const lastOfParts = new Set(new Map(puts.map((put) => [partOf(put), put])).values())
  return puts.filter((put) => !lastOfParts.has(put))
}

/**
 * Expects that an upload in parts repeated only those PUTs that were running when the network
 * failed. This is true on fast and on slow machines. Counting bytes would prove less, because it
 * would include bytes in the buffers of a dead connection.
 */
export function expectNoWaste(network: ChaosProxy): void {
  expect(putsInVain(network).filter(({ disturbed }) => !disturbed)).toEqual([])
}

/** Returns how many PUTs the server or bucket has accepted. */
export function storedPuts(network: ChaosProxy): number {
  return network.exchanges.filter((one) => isPut(one) && (one.status === 200 || one.status === 204))
    .length
}

/** Tells whether a request starts an upload, or many. */
export function isStart({ url }: Exchange): boolean {
  return /^\/api\/files\/get-upload-urls?$/.test(url)
}

/**
 * Tells whether a request confirms an upload, or many. While the proxy delays it, the page shows
 * the upload as finalizing.
 */
export function isConfirm({ url }: Exchange): boolean {
  return /^\/api\/files\/confirm-uploads?$/.test(url)
}

export function isPut({ method }: Exchange): boolean {
  return method === 'PUT'
}

export { expect }
