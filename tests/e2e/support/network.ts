import type { Page } from '@playwright/test'
import { serveApp } from '../../support/app-server.ts'
import { type ChaosProxy, type Exchange, startChaosProxy } from '../../support/chaos-proxy.ts'
import { createDatabase } from '../../support/postgres-server.ts'
import { type DiskFile, writeRandomFile } from './files.ts'
import { postgresUrl } from './run.ts'
import { test as base, expect } from './test.ts'

/** What the console says of a transfer that broke depends on where its connection broke. */
export const brokenConnection = /net::ERR_|Failed to load resource/

const mebibyte = 1024 ** 2

/** With everything between browser and server, bytes and calls, going through a network that fails on demand. */
export const test = base.extend<{
  network: ChaosProxy
  /** Large enough for the panel, and for several parts. */
  film: DiskFile
}>({
  network: async ({}, use) => {
    const network = await startChaosProxy()
    await use(network)
    await network.close()
  },

  film: async ({ folder }, use) => use(await writeRandomFile(folder, 'film.mkv', 60 * mebibyte)),

  app: async ({ network }, use) => {
    const database = await createDatabase(postgresUrl(), 'migrated')
    const app = await serveApp(database, { env: { APP_URL: network.url } })
    network.forwardTo(app.deps.config.port)
    await use(app)
    await app.close()
  },
})

/** Begins an upload and lets so many bytes of it pass; then nothing moves until `network.open`. */
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
 * Ends a tab, its connections with it, and opens the dashboard in a new one.
 * @param end how it ends: it is closed, unless a story says otherwise.
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

/** The bytes of all PUTs since an exchange, those sent again counted again. */
export function sentSince(network: ChaosProxy, since = 0): number {
  return network.exchanges
    .slice(since)
    .reduce((sum, one) => sum + (isPut(one) ? one.bodyBytes : 0), 0)
}

/** What a PUT carries: a part of an upload, in our own storage or in a bucket. */
function partOf({ url }: Exchange): string {
  const { pathname, searchParams } = new URL(url, 'http://any')
  return `${pathname} ${searchParams.get('part') ?? searchParams.get('partNumber')}`
}

/** The PUTs of parts that came to nothing, since another one of the same part followed. */
export function putsInVain(network: ChaosProxy): Exchange[] {
  const puts = network.exchanges.filter(isPut)
  const lastOfParts = new Set(new Map(puts.map((put) => [partOf(put), put])).values())
  return puts.filter((put) => !lastOfParts.has(put))
}

/**
 * Expects that an upload in parts sent nothing twice but what was under way when the network failed, be
 * the machine fast or slow. Bytes prove less: those that a dead connection left in buffers still count.
 */
export function expectNoWaste(network: ChaosProxy): void {
  expect(putsInVain(network).filter(({ disturbed }) => !disturbed)).toEqual([])
}

/** How many PUTs storage took whole. */
export function storedPuts(network: ChaosProxy): number {
  return network.exchanges.filter((one) => isPut(one) && (one.status === 200 || one.status === 204))
    .length
}

/** The call that begins an upload. */
export function isStart({ url }: Exchange): boolean {
  return url === '/api/files/get-upload-url'
}

/** The call that ends an upload: held back, an upload can be seen finalizing. */
export function isConfirm({ url }: Exchange): boolean {
  return url === '/api/files/confirm-upload'
}

function isPut({ method }: Exchange): boolean {
  return method === 'PUT'
}

export { expect }
