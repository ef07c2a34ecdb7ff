import { join } from 'node:path'
import { type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test'
import { findChromiumForTests } from '../scripts/chromium.mjs'
import { insertFilesQuery } from '../tests/support/many-files.ts'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, startMayfly } from './mayfly.ts'
import { measureTimes } from './measure-times.ts'
import { createRow, type Row } from './report.ts'

const fileCount = 10_000
const otherAccountCount = 20
const filesPerOtherAccount = 2_000
const frameCount = 300
const pixelsPerFrame = 120
/** Far more than the list's height, so one scroll reaches the end. */
const pixelsPastEnd = 1e7
const scrollTimeoutMs = 60_000
const pauseMs = 100

/** The requests to measure, by name in the report. */
const requests = {
  'the first page of 100': '/api/links?limit=100',
  'a page of 1,000': '/api/links',
  'a search for a frequent text': '/api/links?limit=100&search=group',
  'a search for a rare text': '/api/links?limit=100&search=report%209876',
  'a search for a text of two letters in no name': '/api/links?limit=100&search=zq',
  'the first page of 100 by name': '/api/links?limit=100&sort=name',
  'the first page of 100, the largest first': '/api/links?limit=100&sort=-size',
  'the first page of 100, the most downloaded first': '/api/links?limit=100&sort=-downloads',
  'the counts by status': '/api/files/summary',
}

/**
 * Measures the file list of a user with 10,000 files in a database that also holds 40,000 files
 * from other users: pages, searches and counts on the server, then script time per frame while
 * Chromium scrolls.
 */
export async function measureFileList(cores: Cores, scratch: string): Promise<Row[]> {
  const mayfly = await startMayfly(join(scratch, 'file-list'), cores.server)
  const http = makeHttpClient(1)
  try {
    const cookie = await signIn(mayfly, http)
    await insertAllFiles(mayfly, http, cookie)
    const rows: Row[] = []
    for (const [label, path] of Object.entries(requests)) {
      const durationsMs = await measureTimes(() =>
        http.expectOk(`${mayfly.url}${path}`, { headers: { cookie } }),
      )
      rows.push(createRow(`10,000 files: ${label}`, 'ms', { mayfly: durationsMs }))
    }
    return [...rows, ...(await measureScrolling(mayfly, cookie))]
  } finally {
    http.close()
    await mayfly.stop()
  }
}

async function insertAllFiles(mayfly: Mayfly, http: HttpClient, cookie: string): Promise<void> {
  const insertFiles = async (cookie: string, count: number) => {
    const { body } = await http.expectOk(`${mayfly.url}/api/auth/user`, { headers: { cookie } })
    const { id } = JSON.parse(body.toString()) as { id: string }
    const { text, values } = insertFilesQuery(id, count, new Date())
    await mayfly.sql(text, values)
  }
  for (let account = 0; account < otherAccountCount; account += 1) {
    await insertFiles(await signIn(mayfly, http), filesPerOtherAccount)
  }
  await insertFiles(cookie, fileCount)
  await mayfly.sql('vacuum analyze files, links')
}

async function measureScrolling(mayfly: Mayfly, cookie: string): Promise<Row[]> {
  const executablePath = await findChromiumForTests()
  if (executablePath === null) throw new Error('There is no Chromium: run `npm run e2e` once.')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const rows: Row[] = []
    for (const [screen, size] of Object.entries({
      '1280 px wide': { width: 1280, height: 800 },
      '390 px wide': { width: 390, height: 844 },
    })) {
      const context = await browser.newContext({ viewport: size })
      rows.push(...(await scrollList(context, { screen, url: mayfly.url, cookie })))
      await context.close()
    }
    return rows
  } finally {
    await browser.close()
  }
}

interface Screen {
  screen: string
  url: string
  cookie: string
}

async function scrollList(
  context: BrowserContext,
  { screen, url, cookie }: Screen,
): Promise<Row[]> {
  await context.addCookies(
    cookie.split('; ').map((cookiePair) => {
      const [name = '', value = ''] = cookiePair.split(/=(.*)/s)
      return { name, value, url }
    }),
  )
  const page = await context.newPage()
  await page.goto(`${url}/?tab=files`)
  await findReportRow(page, 1).waitFor()
  // The list ends after the first 100 files until the page knows how many there are.
  await page.getByText(/ active links$/).waitFor()
  // Load the whole list first, to keep requests out of the measured scrolling.
  await scrollTo(page, fileCount, pixelsPastEnd)
  await scrollTo(page, 1, -pixelsPastEnd)
  const client = await context.newCDPSession(page)
  await client.send('Performance.enable')
  const metricsBefore = await readMetrics(client)
  const frames = await scroll(page)
  const metricsAfter = await readMetrics(client)
  const getMsPerFrame = (name: 'ScriptDuration' | 'TaskDuration') =>
    ((metricsAfter[name] - metricsBefore[name]) * 1000) / frameCount
  return [
    createRow(`scrolling 10,000 files, ${screen}: scripts`, 'ms a frame', {
      mayfly: [getMsPerFrame('ScriptDuration')],
    }),
    createRow(`scrolling 10,000 files, ${screen}: all work`, 'ms a frame', {
      mayfly: [getMsPerFrame('TaskDuration')],
    }),
    createRow(`scrolling 10,000 files, ${screen}: frames`, 'ms', { mayfly: frames }),
  ]
}

function findReportRow(page: Page, reportNumber: number) {
  return page.getByText(`Report ${reportNumber} of the working group.pdf`).first()
}

/**
 * Scrolls until the list shows the file with this number. This may take several attempts, because
 * a row's height is known only once the row is rendered.
 */
async function scrollTo(page: Page, reportNumber: number, scrollPixels: number): Promise<void> {
  const deadlineMs = performance.now() + scrollTimeoutMs
  while (!(await findReportRow(page, reportNumber).isVisible())) {
    if (performance.now() > deadlineMs) throw new Error(`Report ${reportNumber} was never shown.`)
    await page.mouse.wheel(0, scrollPixels)
    await page.waitForTimeout(pauseMs)
  }
}

/**
 * Returns how many seconds the main thread has spent on scripts, and on all tasks, since
 * `Performance.enable`.
 */
async function readMetrics(client: CDPSession) {
  const { metrics } = await client.send('Performance.getMetrics')
  const getMetric = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0
  return { ScriptDuration: getMetric('ScriptDuration'), TaskDuration: getMetric('TaskDuration') }
}

/** Scrolls a little in each frame. Returns the frame times in milliseconds. */
function scroll(page: Page): Promise<number[]> {
  return page.evaluate(
    async ({ frames, pixels }) => {
      const waitForNextFrame = () =>
        new Promise<number>((resolve) => requestAnimationFrame(resolve))
      const frameTimesMs: number[] = []
      let lastFrameTime = await waitForNextFrame()
      for (let frame = 0; frame < frames; frame += 1) {
        window.scrollBy(0, pixels)
        const now = await waitForNextFrame()
        frameTimesMs.push(now - lastFrameTime)
        lastFrameTime = now
      }
      return frameTimesMs
    },
    { frames: frameCount, pixels: pixelsPerFrame },
  )
}
