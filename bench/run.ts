/**
 * Measures Mayfly and compares it with nginx on the same machine in the same run, all on 127.0.0.1.
 * Pass names to run only some benchmarks: `npm run bench -- pages small-files`. See README.md.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAnalytics } from './analytics.ts'
import { measureExpiry } from './expiry.ts'
import { measureFileList } from './file-list.ts'
import { measureLargeDrop } from './large-drop.ts'
import { measureLinks } from './links.ts'
import { measureLogins } from './logins.ts'
import {
  type Cores,
  describeMachine,
  divideCores,
  environment,
  findMissingPrograms,
  makeDiskScratch,
  makeScratch,
} from './machine.ts'
import { measureManyTransfers } from './many-transfers.ts'
import { type Mayfly, startMayfly } from './mayfly.ts'
import { type Nginx, startNginx } from './nginx.ts'
import { measureOneLink } from './one-link.ts'
import { measurePagePaint } from './page-paint.ts'
import { measurePageWeight } from './page-weight.ts'
import { measurePages } from './pages.ts'
import { measureOneCall, measureOneCallFiles } from './programs.ts'
import { measureClient } from './programs-client.ts'
import { countQueries } from './queries.ts'
import { formatMarkdown, type Report, type Row, saveReport } from './report.ts'
import { maxSteps, measureScale } from './scale.ts'
import { measureSmallFiles } from './small-files.ts'
import { measureStartUp } from './start-up.ts'
import { measureStoredRows } from './stored-rows.ts'
import { measureTransfers } from './transfers.ts'

interface Bench {
  mayfly: Mayfly
  nginx: Nginx
  cores: Cores
  scratch: string
}

/** Benchmarks that share one Mayfly server and one nginx server to compare it with. */
const nginxBenchmarks: Record<string, (bench: Bench) => Promise<Row[]>> = {
  transfers: (bench) => measureTransfers(bench, bench.cores, bench.scratch, 'tmpfs'),
  'many-transfers': ({ mayfly, cores, scratch }) => measureManyTransfers(mayfly, cores, scratch),
  'small-files': (bench) => measureSmallFiles(bench),
  programs: async (bench) => [
    ...(await measureOneCall(bench, bench.cores, bench.scratch, 'tmpfs')),
    ...(await measureOneCallFiles(bench)),
    ...(await measureClient(bench.mayfly, bench.cores, bench.scratch)),
  ],
  'large-drop': ({ mayfly, scratch }) => measureLargeDrop(mayfly, scratch),
  links: (bench) => measureLinks(bench, bench.cores, bench.scratch),
  pages: (bench) => measurePages(bench, bench.cores, bench.scratch),
  'one-link': (bench) => measureOneLink(bench, bench.cores),
  'page-weight': ({ mayfly }) => measurePageWeight(mayfly),
  'page-paint': ({ mayfly }) => measurePagePaint(mayfly),
}
/** Like `nginxBenchmarks`, but with files on disk. */
const diskBenchmarks: typeof nginxBenchmarks = {
  'transfers-on-disk': (bench) => measureTransfers(bench, bench.cores, bench.scratch, 'disk'),
  'programs-on-disk': (bench) => measureOneCall(bench, bench.cores, bench.scratch, 'disk'),
}
/** Benchmarks that start their own servers. */
const standaloneBenchmarks: Record<string, (cores: Cores, scratch: string) => Promise<Row[]>> = {
  logins: measureLogins,
  'file-list': measureFileList,
  analytics: measureAnalytics,
  expiry: measureExpiry,
  'start-up': measureStartUp,
  'stored-rows': measureStoredRows,
}
const defaultNames = [
  ...Object.keys(nginxBenchmarks),
  ...Object.keys(diskBenchmarks),
  ...Object.keys(standaloneBenchmarks),
  'queries',
]
/** `scale` takes many minutes, so it runs only when named. */
const parts = [...defaultNames, 'scale']

const { values: options, positionals: requestedNames } = parseArgs({
  allowPositionals: true,
  options: {
    steps: { type: 'string', default: String(maxSteps) },
  },
})
const stepCount = Number(options.steps)
const unknownNames = requestedNames.filter((name) => !parts.includes(name))
const problems = [
  ...unknownNames.map((name) => `There is no part ${name}; there are ${parts.join(', ')}.`),
  ...(isCount(stepCount) && stepCount <= maxSteps
    ? []
    : [`--steps is a number from 1 to ${maxSteps}.`]),
  ...findMissingPrograms(),
]
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  await runBenchmarks(requestedNames.length > 0 ? requestedNames : defaultNames)
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0
}

async function runBenchmarks(names: string[]): Promise<void> {
  const cores = divideCores()
  // Pin this process to the clients' cores. Its children inherit them, except for servers, which
  // are pinned to other cores.
  if (cores.client) pinTo(cores.client)
  const scratch = await makeScratch()
  const diskScratch = await makeDiskScratch()
  const report: Report = {
    machine: describeMachine(cores, scratch.inMemory),
    rows: [],
    tables: [],
    queries: [],
  }
  const errors: string[] = []
  const exitOnSignal = () => {
    for (const dir of [scratch.dir, diskScratch]) rmSync(dir, { recursive: true, force: true })
    process.exit(130)
  }
  process.once('SIGINT', exitOnSignal)
  const selectBenchmarks = <Measure>(table: Record<string, Measure>) =>
    Object.entries(table).filter(([name]) => names.includes(name))
  try {
    report.rows.push(
      ...(await runWithNginx(selectBenchmarks(nginxBenchmarks), cores, scratch.dir)),
      ...(await runWithNginx(selectBenchmarks(diskBenchmarks), cores, diskScratch)),
    )
    for (const [name, measure] of selectBenchmarks(standaloneBenchmarks)) {
      logPart(name)
      report.rows.push(...(await measure(cores, scratch.dir)))
    }
    if (names.includes('queries')) {
      logPart('queries')
      report.queries.push(...(await countQueries(cores, scratch.dir)))
    }
    if (names.includes('scale')) {
      logPart('scale')
      const scaleResult = await measureScale(cores, diskScratch, stepCount)
      report.tables.push(scaleResult.table)
      errors.push(...scaleResult.problems)
    }
  } finally {
    process.off('SIGINT', exitOnSignal)
    for (const dir of [scratch.dir, diskScratch]) await rm(dir, { recursive: true, force: true })
  }
  console.log(`\n${formatMarkdown(report)}\n`)
  console.log(`Every round: ${await saveReport(report, new Date())}`)
  for (const error of errors) console.error(error)
  if (errors.length > 0) process.exitCode = 1
}

/** Runs benchmarks with a new Mayfly server and a new nginx. */
async function runWithNginx(
  parts: [name: string, measure: (bench: Bench) => Promise<Row[]>][],
  cores: Cores,
  scratch: string,
): Promise<Row[]> {
  if (parts.length === 0) return []
  const mayfly = await startMayfly(join(scratch, 'mayfly'), cores.server)
  try {
    const nginx = await startNginx(join(scratch, 'nginx'), cores.server)
    try {
      const rows: Row[] = []
      for (const [name, measure] of parts) {
        logPart(name)
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

function pinTo(cores: string): void {
  const args = ['--all-tasks', '--cpu-list', '--pid', cores, String(process.pid)]
  execFileSync('taskset', args, { env: environment })
}

function logPart(part: string): void {
  console.error(`measuring ${part} …`)
}
