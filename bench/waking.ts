import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fillDueFiles } from '../tests/support/due-files.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, startMayfly } from './mayfly.ts'
import { type Row, row } from './report.ts'

const fileCount = 1_000_000
const ownerCount = 20_000
/** How long the purge is measured. */
const watchedMs = 45_000
/** How long to wait at most for the job `report-overdue`, which runs every minute. */
const reportWaitMs = 150_000

/**
 * Measures a server that finds a million files whose bytes are due to be removed: how many files
 * the purge removes per second, and how long the job `report-overdue` takes. The files have rows
 * but no stored bytes. So the figure covers the database and the search for bytes that are not
 * there.
 */
export async function measureWaking(cores: Cores, scratch: string): Promise<Row[]> {
  const mayfly = await startMayfly(join(scratch, 'waking'), cores.server)
  try {
    await fill(mayfly)
    const since = new Date()
    const before = await purgedFiles(mayfly)
    await wait(watchedMs)
    const purged = (await purgedFiles(mayfly)) - before
    const reportMs = await overdueMs(mayfly, since)
    return [
      row('a million files due at once: purge', 'files/s', { ours: [purged / (watchedMs / 1000)] }),
      row('a million files due at once: job report-overdue', 'ms', {
        ours: [reportMs],
      }),
    ]
  } finally {
    await mayfly.stop()
  }
}

/**
 * Waits until a run of the job `report-overdue` that began after `since` has ended. Returns how
 * many milliseconds it took.
 */
async function overdueMs(mayfly: Mayfly, since: Date): Promise<number> {
  const until = Date.now() + reportWaitMs
  for (;;) {
    const [report] = await mayfly.sql<{ ms: string }>(
      `select extract(epoch from ended_at - started_at) * 1000 as ms from job_runs
        where job = 'report-overdue' and started_at > $1`,
      [since],
    )
    if (report) return Number(report.ms)
    if (Date.now() > until) throw new Error('no report of what is overdue has ended')
    await wait(1000)
  }
}

/**
 * Inserts all files while the schedule of the purge is switched off. Then switches it on, and waits
 * until the purge has removed the first files.
 */
async function fill(mayfly: Mayfly): Promise<void> {
  const setCron = "update pgboss.schedule set cron = $1 where name = 'expire-files'"
  await mayfly.sql(setCron, ['0 0 1 1 *'])
  await fillDueFiles(mayfly.sql, { files: fileCount, owners: ownerCount })
  await mayfly.sql(setCron, ['* * * * *'])
  while ((await purgedFiles(mayfly)) === 0) await wait(1000)
}

async function purgedFiles(mayfly: Mayfly): Promise<number> {
  const [counted] = await mayfly.sql<{ count: string }>(
    'select count(*) as count from files where purged_at is not null',
  )
  return Number(counted?.count)
}
