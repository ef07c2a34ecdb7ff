import { randomBytes } from 'node:crypto'
import { type Browser, chromium } from '@playwright/test'
import { findChromiumForTests } from '../scripts/chromium.mjs'
import { publicPages } from '../src/shared/public-pages.ts'
import { type HttpClient, makeHttpClient } from './http-client.ts'
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
/** How long a page is watched once its heading is there, for whatever loads after it. */
const settleMs = 2500

interface Paint {
  /** First Contentful Paint in milliseconds. */
  firstMs: number
  /** Largest Contentful Paint in milliseconds. */
  largestMs: number
  /** Cumulative Layout Shift. */
  shift: number
  /** Bytes received, including headers. */
  bytes: number
  /** The part of `bytes` that is scripts. */
  scriptBytes: number
}

interface MeasuredPage {
  name: string
  path: string
  /** The session's cookie; absent for visitors. */
  cookie?: string
}

/** How many files the measured dashboard has. */
const dashboardFiles = 20

/**
 * Measures a phone's first visit over a slow connection to a download page, the public pages, the
 * login and signup pages, and to the dashboard and the Admin Center of signed-in users.
 */
export async function measurePagePaint(mayfly: Mayfly): Promise<Row[]> {
  const executablePath = await findChromiumForTests()
  if (executablePath === null) throw new Error('There is no Chromium: run `npm run e2e`.')
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  let code = ''
  for (let index = 1; index <= dashboardFiles; index += 1) {
    const file = { name: `report-${index}.pdf`, bytes: randomBytes(100) }
    code = await uploadFile(mayfly, http, cookie, file)
  }
  const adminCookie = await signInAsAdmin(mayfly, http)
  http.close()
  const pages: MeasuredPage[] = [
    { name: 'download', path: `/s/${code}` },
    ...Object.entries(publicPages).map(([name, { path }]) => ({ name, path })),
    { name: 'login', path: '/login' },
    { name: 'signup', path: '/signup' },
    { name: 'dashboard', path: '/', cookie },
    { name: 'Admin Center', path: '/admin', cookie: adminCookie },
  ]
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const paintsByName = new Map(pages.map(({ name }) => [name, [] as Paint[]]))
    // The first round, which starts the browser, is a warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const page of pages) {
        const paint = await measurePaint(browser, mayfly.url, page)
        if (round > 0) paintsByName.get(page.name)?.push(paint)
      }
    }
    return [...paintsByName].flatMap(([name, paints]) => [
      createRow(`${name} page on slow 4G: FCP`, 'ms', {
        mayfly: paints.map((paint) => paint.firstMs),
      }),
      createRow(`${name} page on slow 4G: LCP`, 'ms', {
        mayfly: paints.map((paint) => paint.largestMs),
      }),
      createRow(`${name} page on slow 4G: CLS`, '', { mayfly: paints.map((paint) => paint.shift) }),
      createRow(`${name} page on slow 4G: all`, 'bytes', {
        mayfly: paints.map((paint) => paint.bytes),
      }),
      createRow(`${name} page on slow 4G: scripts`, 'bytes', {
        mayfly: paints.map((paint) => paint.scriptBytes),
      }),
    ])
  } finally {
    await browser.close()
  }
}

async function signInAsAdmin(mayfly: Mayfly, http: HttpClient): Promise<string> {
  const cookie = await signIn(mayfly, http)
  const { body } = await http.expectOk(`${mayfly.url}/api/auth/user`, { headers: { cookie } })
  await mayfly.sql("update users set role = 'admin' where id = $1", [JSON.parse(`${body}`).id])
  return cookie
}

/** Opens a page in a fresh browser context. */
async function measurePaint(
  browser: Browser,
  origin: string,
  { path, cookie }: MeasuredPage,
): Promise<Paint> {
  const context = await browser.newContext({
    viewport: { width: 412, height: 823 },
    deviceScaleFactor: 1.75,
    isMobile: true,
    hasTouch: true,
  })
  for (const pair of cookie?.split('; ') ?? []) {
    const [name = '', value = ''] = pair.split('=')
    await context.addCookies([{ name, value, url: origin }])
  }
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', line)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
  let bytes = 0
  let scriptBytes = 0
  const scriptIds = new Set<string>()
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.mimeType === 'text/javascript') scriptIds.add(requestId)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength
    if (scriptIds.has(requestId)) scriptBytes += encodedDataLength
  })
  await page.addInitScript(() => {
    const seen = { firstMs: 0, largestMs: 0, shift: 0 }
    Object.assign(window, { seen })
    new PerformanceObserver((entryList) => {
      const [entry] = entryList.getEntriesByName('first-contentful-paint')
      seen.firstMs = entry?.startTime ?? seen.firstMs
    }).observe({ type: 'paint', buffered: true })
    new PerformanceObserver((entryList) => {
      for (const entry of entryList.getEntries()) seen.largestMs = entry.startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    new PerformanceObserver((entryList) => {
      for (const entry of entryList.getEntries()) {
        seen.shift += (entry as PerformanceEntry & { value: number }).value
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(origin + path)
  await page.locator('main h1').waitFor()
  await page.waitForTimeout(settleMs)
  const recordedPaint = await page.evaluate(
    () => (window as unknown as { seen: Pick<Paint, 'firstMs' | 'largestMs' | 'shift'> }).seen,
  )
  await context.close()
  return { ...recordedPaint, bytes, scriptBytes }
}
