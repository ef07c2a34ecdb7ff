import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium } from '@playwright/test'
import { findChromiumForTests } from '../scripts/chromium.mjs'
import { makeHttpClient } from './http-client.ts'
import { type Mayfly, signIn } from './mayfly.ts'
import { listProcessTree, readCpuSeconds } from './process-cost.ts'
import { createRow, type Row } from './report.ts'

const fileCount = 1000
const rounds = 3
const timeoutMs = 150_000

interface Drop {
  seconds: number
  /** CPU seconds used by the server, including Postgres. */
  serverCpu: number
  browserCpu: number
  calls: number
}

/**
 * Drops 1,000 files of 100 KiB each onto the web page in headless Chromium. Measures the time from
 * the start of the first upload until the last one is confirmed.
 */
export async function measureLargeDrop(mayfly: Mayfly, scratch: string): Promise<Row[]> {
  const folder = join(scratch, 'large-drop')
  const paths = await writeFiles(folder, 100 * 1024)
  const drops = await dropInChromium(mayfly, paths)
  await rm(folder, { recursive: true })
  const label = '1,000 files of 100 KiB in Chromium'
  return [
    createRow(label, 's', { mayfly: drops.map(({ seconds }) => seconds) }),
    createRow(`${label}: server and Postgres`, 'CPU s', {
      mayfly: drops.map(({ serverCpu }) => serverCpu),
    }),
    createRow(`${label}: browser`, 'CPU s', {
      mayfly: drops.map(({ browserCpu }) => browserCpu),
    }),
    createRow(`${label}: calls beside the PUTs`, 'calls', {
      mayfly: drops.map(({ calls }) => calls),
    }),
  ]
}

/** Writes 1,000 files of random bytes. Returns their paths. */
export async function writeFiles(folder: string, fileBytes: number): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const paths = Array.from({ length: fileCount }, (_, index) => join(folder, `photo-${index}.raw`))
  for (const path of paths) await writeFile(path, randomBytes(fileBytes))
  return paths
}

/** Drops files several times, each time with a new account. */
export async function dropInChromium(mayfly: Mayfly, paths: readonly string[]): Promise<Drop[]> {
  const executablePath = await findChromiumForTests()
  if (executablePath === null) throw new Error('There is no Chromium: run `npm run e2e` once.')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const drops: Drop[] = []
    for (let round = 0; round < rounds; round += 1) {
      const context = await browser.newContext({ baseURL: mayfly.url })
      drops.push(await dropFiles(context, mayfly, paths))
      await context.close()
    }
    return drops
  } finally {
    await browser.close()
  }
}

async function dropFiles(
  context: BrowserContext,
  mayfly: Mayfly,
  paths: readonly string[],
): Promise<Drop> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  await context.addCookies(
    cookie.split('; ').map((cookiePair) => {
      const [name = '', value = ''] = cookiePair.split(/=(.*)/s)
      return { name, value, url: mayfly.url }
    }),
  )
  const page = await context.newPage()
  // By default, browsers keep timings for only 250 requests.
  await page.addInitScript(
    (bufferSize) => performance.setResourceTimingBufferSize(bufferSize),
    5 * fileCount,
  )
  await page.goto('/')
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  const readCpu = () => ({
    server: readCpuSeconds([...mayfly.pids(), ...mayfly.postgresPids()]),
    browser: readCpuSeconds(listProcessTree(process.pid).filter((pid) => pid !== process.pid)),
  })
  const cpuBefore = readCpu()
  await page.getByLabel('Files to upload').setInputFiles([...paths])
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const response = await http.expectOk(`${mayfly.url}/api/files/summary`, { headers: { cookie } })
    const { files } = JSON.parse(response.body.toString()) as { files: { active: number } }
    if (files.active === paths.length) break
    if (performance.now() > deadlineMs) throw new Error(`Only ${files.active} files have arrived.`)
    await page.waitForTimeout(200)
  }
  const cpuAfter = readCpu()
  const calls = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => /\/(links|get-upload-urls?|confirm-uploads?)$/.test(name))
      .map(({ startTime, duration }) => ({ begin: startTime, end: startTime + duration })),
  )
  http.close()
  const firstStart = Math.min(...calls.map(({ begin }) => begin))
  const lastEnd = Math.max(...calls.map(({ end }) => end))
  return {
    seconds: (lastEnd - firstStart) / 1000,
    serverCpu: cpuAfter.server - cpuBefore.server,
    browserCpu: cpuAfter.browser - cpuBefore.browser - (cpuAfter.server - cpuBefore.server),
    calls: calls.length,
  }
}
