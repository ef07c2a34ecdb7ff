import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { insertFilesQuery } from '../tests/support/many-files.ts'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import { pauseJobs, type RunJob, withJobs } from './job-runs.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, startMayfly } from './mayfly.ts'
import { readPeakBytes, readResidentBytes, resetPeak } from './process-cost.ts'
import { createRow, type Row } from './report.ts'

const dueCount = 100_000
/**
 * Number of files that the purge must keep, because their owner is a premium user, who can renew
 * expired links.
 */
const unexpiredCount = 20_000
const objectBytes = 100
const maxRunMs = 10 * 60_000
const dayMs = 24 * 60 * 60_000
const mebibyte = 2 ** 20

/**
 * Measures how long it takes to purge 100,000 due files, each with an object on disk, while another
 * 20,000 files aren't due. Before that, measures the comparison of storage with the database for
 * the same objects. The jobs record their own duration.
 */
export async function measureExpiry(cores: Cores, scratch: string): Promise<Row[]> {
  const mayfly = await startMayfly(join(scratch, 'expiry'), cores.server)
  const http = makeHttpClient(1)
  try {
    const dueOwnerId = await makeFiles(mayfly, http, dueCount)
    await makeFiles(mayfly, http, unexpiredCount)
    await mayfly.sql('vacuum analyze files')
    await pauseJobs(mayfly)
    return await withJobs(mayfly, async (run) => {
      const comparisonCost = await measureJob(mayfly, run, {
        job: 'compare-storage',
        counter: 'objects',
        count: dueCount + unexpiredCount,
      })
      // The owner can't renew the links, which have ended.
      await mayfly.sql("update users set tier = 'free' where id = $1", [dueOwnerId])
      await mayfly.sql("update links set expires_at = expires_at - interval '200 days'")
      await mayfly.sql('update files set purge_at = now() where owner_id = $1', [dueOwnerId])
      const purge = { job: 'expire-files', counter: 'purged', count: dueCount }
      const purgeCost = await measureJob(mayfly, run, purge)
      return [
        ...createRows(
          'comparison of 120,000 objects with the database',
          'objects/s',
          comparisonCost,
        ),
        ...createRows('100,000 files due at once', 'files/s', purgeCost),
      ]
    })
  } finally {
    http.close()
    await mayfly.stop()
  }
}

/** Creates a user whose files are in storage and haven't expired yet. Returns the user's id. */
async function makeFiles(mayfly: Mayfly, http: HttpClient, count: number): Promise<string> {
  const cookie = await signIn(mayfly, http)
  const { body } = await http.expectOk(`${mayfly.url}/api/auth/user`, { headers: { cookie } })
  const { id } = JSON.parse(body.toString()) as { id: string }
  const { text, values } = insertFilesQuery(id, count, new Date(Date.now() + 100 * dayMs))
  await mayfly.sql(text, values)
  const keys = await mayfly.sql<{ storage_key: string }>(
    'select storage_key from files where owner_id = $1',
    [id],
  )
  const bytes = Buffer.alloc(objectBytes)
  const folders = new Set<string>()
  for (const { storage_key: key } of keys) {
    const folder = join(mayfly.dataDir, 'files', key.slice(0, 2))
    if (!folders.has(folder)) await mkdir(folder, { recursive: true })
    folders.add(folder)
    await writeFile(join(folder, key), bytes)
  }
  return id
}

interface JobCost {
  seconds: number
  count: number
  before: number
  peak: number
  /** Number of sequential scans of the table `files`. */
  tableScans: number
}

/**
 * Runs a job until it has processed `count` items. Returns the duration, the server's memory, and
 * the number of sequential scans of `files`.
 * @throws {Error} if a run takes too long or processes nothing.
 */
async function measureJob(
  mayfly: Mayfly,
  run: RunJob,
  { job, counter, count }: { job: string; counter: string; count: number },
): Promise<JobCost> {
  const before = readResidentBytes([mayfly.pid])
  resetPeak([mayfly.pid])
  const scansBefore = await countTableScans(mayfly)
  let processedCount = 0
  let seconds = 0
  while (processedCount < count) {
    const { ms, result } = await run(job, maxRunMs)
    if (!result[counter]) throw new Error(`${job} has processed ${processedCount} of ${count}.`)
    processedCount += result[counter]
    seconds += ms / 1000
  }
  const tableScanCount = (await countTableScans(mayfly)) - scansBefore
  return {
    seconds,
    count: processedCount,
    before,
    peak: readPeakBytes([mayfly.pid]),
    tableScans: tableScanCount,
  }
}

async function countTableScans(mayfly: Mayfly): Promise<number> {
  // Postgres backends report statistics at most once a second.
  await wait(1500)
  const [fileStats] = await mayfly.sql<{ scans: string }>(
    "select seq_scan as scans from pg_stat_user_tables where relname = 'files'",
  )
  return Number(fileStats?.scans)
}

function createRows(label: string, unit: string, cost: JobCost): Row[] {
  const { seconds, count, before, peak, tableScans } = cost
  return [
    createRow(label, unit, { mayfly: [count / seconds] }),
    createRow(`${label}: the whole`, 's', { mayfly: [seconds] }),
    createRow(`${label}: memory before`, 'MiB', { mayfly: [before / mebibyte] }),
    createRow(`${label}: memory`, 'peak MiB', { mayfly: [peak / mebibyte] }),
    createRow(`${label}: files read from end to end`, 'times', { mayfly: [tableScans] }),
  ]
}
