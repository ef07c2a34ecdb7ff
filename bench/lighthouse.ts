/**
 * `npm run lighthouse` audits the landing page, the FAQ, the login, the signup and a download page
 * on a simulated phone, prints the scores, and fails if any score is below 95. Lighthouse (140 MB)
 * isn't a dependency; npm downloads it when this script runs.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findChromium, findChromiumForTests } from '../scripts/chromium.mjs'
import { makeHttpClient } from './http-client.ts'
import { makeScratch } from './machine.ts'
import { signIn, startMayfly, uploadFile } from './mayfly.ts'

const lighthousePackage = 'lighthouse@13.5.0'
const minScore = 95

/**
 * Skips two audits that a download page can't pass: search engines must not index it
 * (`is-crawlable`), and it isn't cached (`bf-cache`, which also hangs in Debian's headless shell).
 */
const linkPageFlags = ['--skip-audits=is-crawlable,bf-cache']

interface Report {
  categories: Record<
    string,
    { title: string; score: number | null; auditRefs: { id: string; weight: number }[] }
  >
  audits: Record<string, { title: string; score: number | null; numericValue?: number }>
}

const chromiumPath = (await findChromium()) ?? (await findChromiumForTests())
if (chromiumPath === null) throw new Error('There is no Chromium: run `npm run e2e`.')
const scratch = await makeScratch()
const mayfly = await startMayfly(join(scratch.dir, 'mayfly'), '')
try {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const code = await uploadFile(mayfly, http, cookie, { name: 'a.pdf', bytes: randomBytes(100) })
  http.close()
  for (const path of ['/', '/faq', '/login', '/signup'])
    printReport(path, runLighthouse(mayfly.url + path, chromiumPath))
  const linkPath = `/s/${code}`
  printReport(linkPath, runLighthouse(mayfly.url + linkPath, chromiumPath, linkPageFlags))
} finally {
  await mayfly.stop()
  await rm(scratch.dir, { recursive: true, force: true })
}

function runLighthouse(url: string, chromium: string, extraFlags: string[] = []): Report {
  const flags = [
    '--output=json',
    '--quiet',
    '--chrome-flags=--headless=new --no-sandbox',
    ...extraFlags,
  ]
  const text = execFileSync(
    'npm',
    ['exec', '--yes', `--package=${lighthousePackage}`, '--', 'lighthouse', url, ...flags],
    {
      env: { ...process.env, CHROME_PATH: chromium },
      encoding: 'utf8',
      maxBuffer: 100 * 1024 ** 2,
      timeout: 5 * 60_000,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  return JSON.parse(text)
}

function printReport(path: string, { categories, audits }: Report): void {
  const scores = Object.values(categories).map(({ title, score }) => ({
    title,
    score: Math.round(100 * (score ?? 0)),
  }))
  const figuresText = ['largest-contentful-paint', 'cumulative-layout-shift', 'total-blocking-time']
    .map((id) => `${id} ${Number((audits[id]?.numericValue ?? Number.NaN).toFixed(3))}`)
    .join(', ')
  console.log(
    `${path}: ${scores.map(({ title, score }) => `${title} ${score}`).join(', ')} (${figuresText})`,
  )
  for (const { auditRefs } of Object.values(categories)) {
    for (const { id, weight } of auditRefs) {
      const audit = audits[id]
      if (weight > 0 && audit?.score !== null && (audit?.score ?? 1) < 0.9) {
        console.log(`  ${audit?.score} ${id}: ${audit?.title}`)
      }
    }
  }
  if (scores.some(({ score }) => score < minScore)) process.exitCode = 1
}
