import { randomBytes } from 'node:crypto'
import { type Browser, chromium } from '@playwright/test'
import { findChromiumForTests } from '../scripts/chromium.mjs'
import { publicPages } from '../src/shared/public-pages.ts'
import { makeHttpClient } from './http-client.ts'
import { type Mayfly, signIn, uploadFile } from './mayfly.ts'
import { createRow, type Row } from './report.ts'

const rounds = 5

/** Lighthouse's slow 4G profile: 150 ms round trip, 1.6 Mbit/s down, 750 kbit/s up. */
const line = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1000 ** 2) / 8,
  uploadThroughput: (750 * 1000) / 8,
}
const cpuSlowdown = 4

interface Paint {
  /** Largest Contentful Paint in milliseconds. */
  largestMs: number
  /** Cumulative Layout Shift. */
  shift: number
  /** Bytes received, including headers, until the network was idle. */
  bytes: number
}

/**
 * Measures a phone's first visit over a slow connection to a download page, the public pages, and
 * the login page, which is rendered in the browser.
 */
export async function measurePagePaint(mayfly: Mayfly): Promise<Row[]> {
  const executablePath = await findChromiumForTests()
  if (executablePath === null) throw new Error('There is no Chromium: run `npm run e2e`.')
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const code = await uploadFile(mayfly, http, cookie, { name: 'a.pdf', bytes: randomBytes(100) })
  http.close()
  const pages: [string, string][] = [
    ['download', `/s/${code}`],
    ...Object.entries(publicPages).map(([name, { path }]): [string, string] => [name, path]),
    ['login', '/login'],
  ]
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const paintsByName = new Map(pages.map(([name]) => [name, [] as Paint[]]))
    // The first round, which starts the browser, is a warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, path] of pages) {
        const paint = await measurePaint(browser, mayfly.url + path)
        if (round > 0) paintsByName.get(name)?.push(paint)
      }
    }
    return [...paintsByName].flatMap(([name, paints]) => [
      createRow(`${name} page on slow 4G: LCP`, 'ms', {
        mayfly: paints.map((paint) => paint.largestMs),
      }),
      createRow(`${name} page on slow 4G: CLS`, '', { mayfly: paints.map((paint) => paint.shift) }),
      createRow(`${name} page on slow 4G: all`, 'bytes', {
        mayfly: paints.map((paint) => paint.bytes),
      }),
    ])
  } finally {
    await browser.close()
  }
}

/** Opens a page in a fresh browser context. */
async function measurePaint(browser: Browser, url: string): Promise<Paint> {
  const context = await browser.newContext({
    viewport: { width: 412, height: 823 },
    deviceScaleFactor: 1.75,
    isMobile: true,
    hasTouch: true,
  })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', line)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
  let bytes = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.addInitScript(() => {
    const seen = { largestMs: 0, shift: 0 }
    Object.assign(window, { seen })
    new PerformanceObserver((entryList) => {
      for (const entry of entryList.getEntries()) seen.largestMs = entry.startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    new PerformanceObserver((entryList) => {
      for (const entry of entryList.getEntries()) {
        seen.shift += (entry as PerformanceEntry & { value: number }).value
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  const recordedPaint = await page.evaluate(
    () => (window as unknown as { seen: { largestMs: number; shift: number } }).seen,
  )
  await context.close()
  return { ...recordedPaint, bytes }
}
