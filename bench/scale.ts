import { randomBytes } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { makeHttpClient } from './http-client.ts'
import { pauseJobs, withJobs } from './job-runs.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, startMayfly } from './mayfly.ts'
import { readCpuSeconds } from './process-cost.ts'
import { findLargeTables, logPlansFromNextStart, measureReads } from './query-plans.ts'
import type { Table } from './report.ts'
import { drawSample, prepareRequests, type Requests } from './scale-requests.ts'
import { createFunctions, growTo } from './scale-rows.ts'
import { median, percentile } from './statistics.ts'

/** Number of files in the first step. Each later step has ten times as many as the one before. */
const firstCount = 10_000
export const maxSteps = 4
/** Upper estimate of the disk space per file row, including indexes. */
const bytesPerFile = 1800
const warmUpCount = 5
const timedCallCount = 60
/** How many times all users and files are counted, which takes seconds in the last step. */
const timedCountAllCalls = 3
/** How many times each request is sent to check its query plans. */
const planCallCount = 3
/**
 * The GET request has to count all users and files, because the POST request has invalidated the
 * cached counts.
 */
const countAllName = 'POST /api/admin/expire-files, GET /api/admin/stats'
/**
 * The frequent jobs, except `compute-digests`, because all files here have a SHA-256. Daily jobs
 * aren't measured.
 */
const jobs = [
  'expire-files',
  'report-overdue',
  'expire-trials',
  'tell-first-downloads',
  'tell-ending-links',
  'sweep-uploads',
  'remove-lapsed-rows',
]

/** The cost of one request or job. Times are in milliseconds. */
interface Cost {
  times: number[]
  /** Mean CPU time of the server and Postgres. Null for jobs. */
  cpu: number | null
}

interface Step {
  files: number
  /** Size of the database on disk. */
  bytes: number
  costs: Map<string, Cost>
}

/**
 * Measures the cost of each request as the database grows from 10,000 to ten million files, which
 * are inserted with SQL. One server handles one request at a time, each for different random rows.
 * After the last step, checks the query plans: reading a whole large table is an error unless
 * query-plans.ts allows it.
 * @param stepCount from 1 to `maxSteps`.
 * @throws {Error} if disk space is short.
 */
export async function measureScale(
  cores: Cores,
  scratch: string,
  stepCount: number,
): Promise<{ table: Table; problems: string[] }> {
  const fileCounts = Array.from({ length: stepCount }, (_step, index) => firstCount * 10 ** index)
  requireFreeSpace(scratch, (fileCounts.at(-1) ?? 0) * bytesPerFile)
  const secret = randomBytes(32).toString('hex')
  const start = () =>
    startMayfly(join(scratch, 'scale'), cores.server, { env: { AUTH_SECRET: secret } })

  let mayfly = await start()
  try {
    await createFunctions(mayfly)
    const measuredSteps: Step[] = []
    for (const [index, count] of fileCounts.entries()) {
      await pauseJobs(mayfly)
      await growTo(mayfly, fileCounts[index - 1] ?? 0, count)
      const step = await measureStep(mayfly, count, secret)
      measuredSteps.push(step)
      printStep(step)
    }
    await logPlansFromNextStart(mayfly)
    await mayfly.stop()
    mayfly = await start()
    const planSummary = await readPlans(mayfly, fileCounts.at(-1) ?? 0, secret)
    return { table: createTable(measuredSteps, planSummary.rows), problems: planSummary.problems }
  } finally {
    await mayfly.stop()
  }
}

function requireFreeSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize > bytes) return
  const neededGigabytes = Math.ceil(bytes / 1e9)
  throw new Error(
    `${folder} needs ${neededGigabytes} GB of free space. Take fewer steps with --steps.`,
  )
}

async function measureStep(mayfly: Mayfly, fileCount: number, secret: string): Promise<Step> {
  const costs = new Map<string, Cost>()
  await withRequests(mayfly, fileCount, secret, warmUpCount + timedCallCount, async (requests) => {
    for (const [name, sendRequest] of Object.entries(requests.byName)) {
      for (let index = 0; index < warmUpCount; index += 1) await sendRequest(index)
      costs.set(
        name,
        await measureCost(mayfly, timedCallCount, (callIndex) =>
          sendRequest(warmUpCount + callIndex),
        ),
      )
    }
    const countAll = async (callIndex: number) => {
      await requests.invalidateCounts(callIndex)
      // If the server cancels the count, which it does after 25 s, measure the time until then.
      await requests.countAll(callIndex).catch(() => undefined)
    }
    costs.set(countAllName, await measureCost(mayfly, timedCountAllCalls, countAll))
  })
  await withJobs(mayfly, async (run) => {
    for (const job of jobs) {
      const { ms } = await run(job)
      costs.set(`job ${job}`, { times: [ms], cpu: null })
    }
  })
  const [size] = await mayfly.sql<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  )
  return { files: fileCount, bytes: Number(size?.bytes), costs }
}

/** Sends a request `callCount` times. Returns its cost. */
async function measureCost(
  mayfly: Mayfly,
  callCount: number,
  request: (callIndex: number) => Promise<unknown>,
): Promise<Cost> {
  const durationsMs: number[] = []
  const cpuBefore = readCpuMs(mayfly)
  for (let callIndex = 0; callIndex < callCount; callIndex += 1) {
    const startedAt = performance.now()
    await request(callIndex)
    durationsMs.push(performance.now() - startedAt)
  }
  return { times: durationsMs, cpu: (readCpuMs(mayfly) - cpuBefore) / callCount }
}

function readCpuMs(mayfly: Mayfly): number {
  return readCpuSeconds([...mayfly.pids(), ...mayfly.postgresPids()]) * 1000
}

async function withRequests(
  mayfly: Mayfly,
  fileCount: number,
  secret: string,
  rowCount: number,
  work: (requests: Requests) => Promise<void>,
): Promise<void> {
  const http = makeHttpClient(1)
  try {
    const sample = await drawSample(mayfly, fileCount, rowCount)
    await work(await prepareRequests(mayfly, http, sample, secret))
  } finally {
    http.close()
  }
}

interface PlanSummary {
  /** How many rows each request or job reads from large tables. */
  rows: Map<string, number>
  problems: string[]
}

async function readPlans(mayfly: Mayfly, fileCount: number, secret: string): Promise<PlanSummary> {
  await pauseJobs(mayfly)
  const largeTables = await findLargeTables(mayfly)
  const rows = new Map<string, number>()
  const problems = new Set<string>()
  const checkPlans = async (name: string, request: () => Promise<unknown>) => {
    const reads = await measureReads(mayfly, largeTables, request)
    // Background jobs may read rows at the same time, so take the minimum.
    rows.set(name, Math.min(reads.rows, rows.get(name) ?? Number.POSITIVE_INFINITY))
    for (const problem of reads.problems) problems.add(`${name} ${problem}`)
  }
  await withRequests(mayfly, fileCount, secret, planCallCount, async ({ byName, countAll }) => {
    for (const [name, sendRequest] of Object.entries(byName)) {
      for (let callIndex = 0; callIndex < planCallCount; callIndex += 1)
        await checkPlans(name, () => sendRequest(callIndex))
    }
    await checkPlans(countAllName, () => countAll(0))
    if (!((rows.get(countAllName) ?? 0) >= fileCount))
      throw new Error('Plans are missing in the log.')
  })
  await withJobs(mayfly, async (run) => {
    for (const job of jobs) await checkPlans(`job ${job}`, () => run(job))
  })
  return { rows, problems: [...problems] }
}

/** Prints one step's results. A table of all steps follows at the end. */
function printStep({ files, bytes, costs }: Step): void {
  console.error(`${files.toLocaleString('en')} files, ${formatGigabytes(bytes)}:`)
  for (const [name, cost] of costs) console.error(`  ${name}: ${formatCost(cost)}`)
}

function createTable(steps: readonly Step[], rowsRead: ReadonlyMap<string, number>): Table {
  const [first, last] = [steps[0], steps.at(-1)]
  if (!(first && last)) throw new RangeError('no steps')
  const headings = [
    'ms, median (p99); processor',
    ...steps.map(({ files }) => `${files.toLocaleString('en')} files`),
    'last / first',
    'processor',
    'rows read',
  ]
  const lines = [...first.costs].map(([name, before]) => {
    const lastCost = last.costs.get(name) ?? before
    return [
      name,
      ...steps.map(({ costs }) => formatCost(costs.get(name) ?? before)),
      (median(lastCost.times) / median(before.times)).toFixed(2),
      before.cpu && lastCost.cpu ? (lastCost.cpu / before.cpu).toFixed(2) : '',
      String(rowsRead.get(name) ?? ''),
    ]
  })
  const sizeTexts = steps.map(({ bytes }) => formatGigabytes(bytes))
  lines.push([
    'the database on the disk',
    ...sizeTexts,
    (last.bytes / first.bytes).toFixed(2),
    '',
    '',
  ])
  const rounds = steps.map(({ files, costs }) => ({ files, costs: Object.fromEntries(costs) }))
  return { head: headings, lines, rounds }
}

function formatGigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(2)} GB`
}

function formatCost({ times, cpu }: Cost): string {
  const medianText = median(times).toFixed(2)
  const percentileText = times.length === 1 ? '' : ` (${percentile(times, 99).toFixed(2)})`
  return `${medianText}${percentileText}${cpu === null ? '' : `; ${cpu.toFixed(2)}`}`
}
