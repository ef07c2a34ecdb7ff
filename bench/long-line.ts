import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from '@playwright/test'
import { findChromiumForStories } from '../scripts/chromium.mjs'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { contentType, type Mayfly, signIn, startMayfly, uploadCalls } from './mayfly.ts'
import { type Row, row } from './report.ts'
import { writeSource } from './sources.ts'

const fileBytes = 100e6
/** How many bytes per second the line of `line-process.ts` carries. */
const bytesPerSecond = 200e6 / 8
const shortestSeconds = fileBytes / bytesPerSecond
const rounds = 5
const connectionCounts = [1, 2, 4]

/**
 * The moments of one upload, in milliseconds since the page was opened: when the call that starts
 * the upload began, when the first PUT began, when the last PUT ended, and when the call that
 * confirms the upload ended.
 */
interface Times {
  firstCall: number
  firstPut: number
  lastPut: number
  confirmed: number
}

/**
 * Uploads 100 MB over a simulated line of 200 Mbit/s with a round trip of 60 ms. Chromium uploads
 * them with the web page of the product. For comparison, a simple client sends equal parts over
 * several connections in parallel. The results are percentages of what the line can carry. For
 * Chromium there are two: for the PUTs alone, and for the whole upload from its first call to its
 * confirmation.
 */
export async function measureLongLine(cores: Cores, scratch: string): Promise<Row[]> {
  const line = await startLine()
  const source = await writeSource(scratch, fileBytes)
  const mayfly = await startMayfly(join(scratch, 'far'), cores.server, {
    appUrl: () => line.url,
  })
  let browser: Browser | undefined
  try {
    line.forwardTo(Number(new URL(mayfly.url).port))
    const executablePath = await findChromiumForStories()
    if (executablePath === null) throw new Error('There is no Chromium: run `npm run e2e` once.')
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    const ours = await byBrowser(browser, { mayfly, url: line.url, path: source.path })
    const rows = [
      row('100 MB over 200 Mbit/s and 60 ms, Chromium: bytes alone', '% of the line', {
        ours: ours.map(({ firstPut, lastPut }) => share(lastPut - firstPut)),
      }),
      row('the same with its calls', '% of the line', {
        ours: ours.map(({ firstCall, confirmed }) => share(confirmed - firstCall)),
      }),
    ]
    for (const connections of connectionCounts) {
      const plain = await byPlainClient({ mayfly, path: source.path }, connections)
      rows.push(
        row(
          `the same bytes, plain client, ${connections === 1 ? '1 connection' : `${connections} connections`}`,
          '% of the line',
          { ours: plain },
        ),
      )
    }
    return rows
  } finally {
    await browser?.close()
    await mayfly.stop()
    line.stop()
    await rm(source.path)
  }
}

function share(millis: number): number {
  return (shortestSeconds / (millis / 1000)) * 100
}

async function startLine() {
  const program = fileURLToPath(new URL('./line-process.ts', import.meta.url))
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    url,
    forwardTo: (port: number) => void child.stdin.write(`${port}\n`),
    stop: () => void child.kill(),
  }
}

async function byBrowser(
  browser: Browser,
  { mayfly, url, path }: { mayfly: Mayfly; url: string; path: string },
): Promise<Times[]> {
  const http = makeHttpClient(1)
  const cookies = (await signIn(mayfly, http)).split('; ').map((cookie) => {
    const [name = '', value = ''] = cookie.split(/=(.*)/s)
    return { name, value, url }
  })
  http.close()
  const times: Times[] = []
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext({ baseURL: url })
    await context.addCookies(cookies)
    const page = await context.newPage()
    await page.goto('/')
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    const confirmed = page.waitForResponse((answer) => answer.url().endsWith('/confirm-upload'))
    await page.getByLabel('Files to upload').setInputFiles(path)
    const answer = await confirmed
    if (!answer.ok()) throw new Error(`confirm-upload answered ${answer.status()}`)
    await answer.finished()
    times.push(await timesOf(page))
    await context.close()
  }
  return times
}

/** Returns when the browser made its requests, as the browser itself recorded it. */
async function timesOf(page: Page): Promise<Times> {
  const entries = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name, startTime, duration }) => ({ name, startTime, end: startTime + duration })),
  )
  const called = (path: string) => entries.filter(({ name }) => name.includes(path))
  const puts = called('/storage/')
  const [confirm] = called('/api/files/confirm-upload')
  const [start] = called('/api/files/get-upload-url')
  if (!confirm || !start || puts.length === 0) throw new Error('The browser noted no upload.')
  return {
    firstCall: start.startTime,
    firstPut: Math.min(...puts.map(({ startTime }) => startTime)),
    lastPut: Math.max(...puts.map(({ end }) => end)),
    confirmed: confirm.end,
  }
}

async function byPlainClient(
  { mayfly, path }: { mayfly: Mayfly; path: string },
  connections: number,
): Promise<number[]> {
  const http = makeHttpClient(connections)
  const calls = uploadCalls(mayfly, http, await signIn(mayfly, http))
  const bytes = await readFile(path)
  const shares: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const started = await calls.start('plain.bin', fileBytes)
    const { size, count } = started.parts ?? { size: fileBytes, count: 1 }
    const numbers = Array.from({ length: count }, (_part, index) => index + 1)
    const urls = await calls.sign(started, numbers)
    const began = performance.now()
    const sendParts = async () => {
      for (let next = numbers.shift(); next !== undefined; next = numbers.shift()) {
        const body = bytes.subarray((next - 1) * size, next * size)
        const headers = { 'content-type': contentType }
        await http.expectOk(urls[next] ?? '', { method: 'PUT', headers, body })
      }
    }
    await Promise.all(Array.from({ length: connections }, sendParts))
    shares.push(share(performance.now() - began))
    await calls.confirm(started)
  }
  http.close()
  return shares
}
