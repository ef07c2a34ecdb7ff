/**
 * Measures what Mayfly costs, and compares it with nginx on the same machine in the same run. All
 * traffic stays on 127.0.0.1. To run only some parts, name them: `npm run bench -- pages
 * small-files`.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { measureAnalytics } from './analytics.ts'
import { measureExpiry } from './expiry.ts'
import { measureFileList } from './file-list.ts'
import { measureKnownAddress } from './known-address.ts'
import { measureLogins } from './logins.ts'
import { measureLongLine } from './long-line.ts'
import {
  type Cores,
  describeMachine,
  divideCores,
  environment,
  makeDiskScratch,
  makeScratch,
  missingPrograms,
} from './machine.ts'
import { measureManyTransfers } from './many-transfers.ts'
import { type Mayfly, startMayfly } from './mayfly.ts'
import { type Nginx, startNginx } from './nginx.ts'
import { measureNginxSends } from './nginx-sends.ts'
import { measureOneLink } from './one-link.ts'
import { measurePagePaint } from './page-paint.ts'
import { measurePageWeight } from './page-weight.ts'
import { measurePages } from './pages.ts'
import { countQueries } from './queries.ts'
import { asMarkdown, type Report, type Row, saveReport } from './report.ts'
import { measureSessionCheck } from './session-check.ts'
import { measureSmallFiles } from './small-files.ts'
import { measureStartUp } from './start-up.ts'
import { measureStoredRows } from './stored-rows.ts'
import { measureTransfers } from './transfers.ts'
import { measureUserSearch } from './user-search.ts'
import { measureWaking } from './waking.ts'

interface Bench {
  mayfly: Mayfly
  nginx: Nginx
  cores: Cores
  scratch: string
}

const besideNginx: Record<string, (bench: Bench) => Promise<Row[]>> = {
  transfers: (bench) => measureTransfers(bench, bench.cores, bench.scratch, 'tmpfs'),
  'many-transfers': ({ mayfly, cores, scratch }) => measureManyTransfers(mayfly, cores, scratch),
  'small-files': (bench) => measureSmallFiles(bench),
  pages: (bench) => measurePages(bench, bench.cores, bench.scratch),
  'session-check': ({ mayfly, cores }) => measureSessionCheck(mayfly, cores),
  'one-link': ({ mayfly, cores }) => measureOneLink(mayfly, cores),
  'page-weight': ({ mayfly }) => measurePageWeight(mayfly),
  'page-paint': ({ mayfly }) => measurePagePaint(mayfly),
}
const onDisk = 'transfers-on-disk'
const parts = [
  ...Object.keys(besideNginx),
  onDisk,
  'nginx-sends',
  'long-line',
  'logins',
  'known-address',
  'file-list',
  'analytics',
  'user-search',
  'expiry',
  'start-up',
  'stored-rows',
  'waking',
  'queries',
]

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !parts.includes(name))
const problems = [
  ...unknown.map((name) => `There is no part ${name}; there are ${parts.join(', ')}.`),
  ...missingPrograms(),
]
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  await bench(wanted.length > 0 ? wanted : parts)
}

async function bench(names: string[]): Promise<void> {
  const cores = divideCores()
  // This process, and all programs that it starts except the servers, run on the cores of the
  // clients.
  if (cores.client) holdTo(cores.client)
  const scratch = await makeScratch()
  const diskScratch = await makeDiskScratch()
  const report: Report = {
    machine: describeMachine(cores, scratch.inMemory),
    rows: [],
    queries: [],
  }
  const leave = () => {
    for (const dir of [scratch.dir, diskScratch]) rmSync(dir, { recursive: true, force: true })
    process.exit(130)
  }
  process.once('SIGINT', leave)
  try {
    const besides = Object.entries(besideNginx)
      .filter(([name]) => names.includes(name))
      .map(([name, measure]) => ({ name, measure }))
    report.rows.push(...(await runBesideNginx(besides, cores, scratch.dir)))
    if (names.includes(onDisk)) {
      const measure = (bench: Bench) => measureTransfers(bench, bench.cores, bench.scratch, 'disk')
      report.rows.push(...(await runBesideNginx([{ name: onDisk, measure }], cores, diskScratch)))
    }
    if (names.includes('nginx-sends')) {
      say('nginx-sends')
      report.rows.push(...(await measureNginxSends(cores, scratch.dir)))
    }
    if (names.includes('long-line')) {
      say('long-line')
      report.rows.push(...(await measureLongLine(cores, scratch.dir)))
    }
    if (names.includes('logins')) {
      say('logins')
      report.rows.push(...(await measureLogins(cores, scratch.dir)))
    }
    if (names.includes('known-address')) {
      say('known-address')
      report.rows.push(...(await measureKnownAddress(cores, scratch.dir)))
    }
    if (names.includes('file-list')) {
      say('file-list')
      report.rows.push(...(await measureFileList(cores, scratch.dir)))
    }
    if (names.includes('analytics')) {
      say('analytics')
      report.rows.push(...(await measureAnalytics(cores, scratch.dir)))
    }
    if (names.includes('user-search')) {
      say('user-search')
      report.rows.push(...(await measureUserSearch(cores, scratch.dir)))
    }
    if (names.includes('expiry')) {
      say('expiry')
      report.rows.push(...(await measureExpiry(cores, scratch.dir)))
    }
    if (names.includes('start-up')) {
      say('start-up')
      report.rows.push(...(await measureStartUp(cores, scratch.dir)))
    }
    if (names.includes('stored-rows')) {
      say('stored-rows')
      report.rows.push(...(await measureStoredRows(cores, scratch.dir)))
    }
    if (names.includes('waking')) {
      say('waking')
      report.rows.push(...(await measureWaking(cores, scratch.dir)))
    }
    if (names.includes('queries')) {
      say('queries')
      report.queries.push(...(await countQueries(cores, scratch.dir)))
    }
  } finally {
    process.off('SIGINT', leave)
    for (const dir of [scratch.dir, diskScratch]) await rm(dir, { recursive: true, force: true })
  }
  console.log(`\n${asMarkdown(report)}\n`)
  console.log(`Every round: ${await saveReport(report, new Date())}`)
}

interface Part {
  name: string
  measure: (bench: Bench) => Promise<Row[]>
}

async function runBesideNginx(parts: Part[], cores: Cores, scratch: string): Promise<Row[]> {
  if (parts.length === 0) return []
  const mayfly = await startMayfly(join(scratch, 'mayfly'), cores.server)
  try {
    const nginx = await startNginx(join(scratch, 'nginx'), cores.server)
    try {
      const rows: Row[] = []
      for (const { name, measure } of parts) {
        say(name)
        rows.push(...(await measure({ mayfly, nginx, cores, scratch })))
      }
      return rows
    } finally {
      await nginx.stop()
    }
  } finally {
    await mayfly.stop()
  }
}

function holdTo(cores: string): void {
  const args = ['--all-tasks', '--cpu-list', '--pid', cores, String(process.pid)]
  execFileSync('taskset', args, { env: environment })
}

function say(part: string): void {
  console.error(`measuring ${part} …`)
}
