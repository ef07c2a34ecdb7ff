import type { Page } from '@playwright/test'
import { serveApp } from '../../support/app-server.ts'
import { type ChaosProxy, type Exchange, startChaosProxy } from '../../support/chaos-proxy.ts'
import { createDatabase } from '../../support/postgres-server.ts'
import { reloadAndConfirm } from './dashboard.ts'
import { type DiskFile, writeRandomFile } from './files.ts'
import { getPostgresUrl } from './run.ts'
import { test as base, expect } from './test.ts'

/**
 * Console messages about a broken transfer. Which one appears depends on when the connection broke.
 */
export const connectionErrorPattern = /net::ERR_|Failed to load resource/

const mebibyte = 1024 ** 2

/** A test whose traffic passes through a proxy that can simulate failures. */
export const test = base.extend<{
  network: ChaosProxy
  /** A file large enough to be uploaded in several parts, and to fill the connection's buffers. */
  videoFile: DiskFile
}>({
  network: async ({}, use) => {
    const network = await startChaosProxy()
    await use(network)
    await network.close()
  },

  videoFile: async ({ folder }, use) =>
    use(await writeRandomFile(folder, 'film.mkv', 20 * mebibyte)),

  app: async ({ network }, use) => {
    const database = await createDatabase(getPostgresUrl(), 'migrated')
    const app = await serveApp(database, { env: { APP_URL: network.url } })
    network.forwardTo(app.deps.config.port)
    await use(app)
    await app.close()
  },
})

/** Starts an upload and stalls it after `bytes` bytes, until `network.restore`. */
export async function stallAfter(
  network: ChaosProxy,
  bytes: number,
  start: () => Promise<void>,
): Promise<void> {
  const stallPromise = network.stallPutsAfter(bytes)
  await start()
  await stallPromise
}

/**
 * Reloads the page while transfers are stalled. Discards bytes in kernel buffers, which would
 * otherwise arrive after `network.restore`.
 */
export async function reloadWhileStalled(page: Page, network: ChaosProxy): Promise<void> {
  await reloadAndConfirm(page)
  network.reset()
}

/**
 * Returns the total size of all PUT bodies, including repeated ones, from the exchange at
 * `firstIndex` on.
 */
export function countSentBytes(network: ChaosProxy, firstIndex = 0): number {
  return network.exchanges
    .slice(firstIndex)
    .reduce((sum, exchange) => sum + (isPut(exchange) ? exchange.bodyBytes : 0), 0)
}

/** Identifies the part that a PUT sends, whether to disk or to a bucket. */
function getPartKey({ url }: Exchange): string {
  const { pathname, searchParams } = new URL(url, 'http://any')
  return `${pathname} ${searchParams.get('part') ?? searchParams.get('partNumber')}`
}

/** Returns the PUTs whose parts were sent again later. */
function findWastedPuts(network: ChaosProxy): Exchange[] {
  const puts = network.exchanges.filter(isPut)
  const lastPuts = new Set(new Map(puts.map((put) => [getPartKey(put), put])).values())
  return puts.filter((put) => !lastPuts.has(put))
}

/**
 * Asserts that a part was sent again only if a failure interrupted its PUT. Counting bytes instead
 * would include those lost in the buffers of dead connections.
 */
export function expectNoWastedPuts(network: ChaosProxy): void {
  expect(findWastedPuts(network).filter(({ interrupted }) => !interrupted)).toEqual([])
}

export function countStoredPuts(network: ChaosProxy): number {
  return network.exchanges.filter(
    (exchange) => isPut(exchange) && (exchange.status === 200 || exchange.status === 204),
  ).length
}

/** True if the request confirms uploads. While it is pending, the page shows it as finalizing. */
export function isConfirm({ url }: Exchange): boolean {
  return url === '/api/files/confirm-uploads'
}

export function isPut({ method }: Exchange): boolean {
  return method === 'PUT'
}

export { expect }
