import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fillUsers } from './fill-users.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, startMayfly } from './mayfly.ts'
import { type Row, row } from './report.ts'

const fileCount = 1_000_000
const ownerCount = 20_000
const filesAtOnce = 100_000
/** How long the purge is measured. */
const watchedMs = 45_000
/** How long to wait at most for the job `report-overdue`, which runs every minute. */
const reportWaitMs = 150_000

/** Inserts the files with the numbers $1 to $2. Their links ended one to three days ago. */
const fillFiles = `
  insert into files (owner_id, storage, storage_key, original_name, mime_type, size, short_code,
    created_at, expires_at, max_lifetime_at)
  select 'owner ' || 1 + n % $3::int, 'disk',
    substr(encode(sha256((n || 'key')::bytea), 'hex'), 1, 26), 'Report ' || n || '.pdf',
    'application/pdf', 1000, 'code-' || n, ended - interval '3 days', ended, ended + interval '27 days'
  from generate_series($1::int, $2::int) n,
    lateral (select now() - interval '2 days' * random() - interval '1 day' as ended) ends`

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
  await fillUsers(mayfly, ownerCount, 'free')
  for (let first = 1; first <= fileCount; first += filesAtOnce) {
    await mayfly.sql(fillFiles, [first, first + filesAtOnce - 1, ownerCount])
  }
  await mayfly.sql('vacuum analyze')
  await mayfly.sql(setCron, ['* * * * *'])
  while ((await purgedFiles(mayfly)) === 0) await wait(1000)
}

async function purgedFiles(mayfly: Mayfly): Promise<number> {
  const [counted] = await mayfly.sql<{ count: string }>(
    'select count(*) as count from files where purged_at is not null',
  )
  return Number(counted?.count)
}
