import { and, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm'
import type pg from 'pg'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { files, jobRuns, uploads } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { type JobName, jobNames } from './job-names.ts'

/** A storage key from the row of an upload or a file. */
export interface ReferencedKey {
  key: string
  /**
   * The id of the confirmed file with this key; null for an upload, which may have no bytes yet.
   */
  fileId: string | null
}

/**
 * Lists up to `limit` storage keys of uploads and of files with bytes in a store, sorted, starting
 * after `after`.
 */
export async function listReferencedKeys(
  db: Db,
  storage: StorageName,
  afterKey: string,
  limit: number,
): Promise<ReferencedKey[]> {
  const { rows } = await db.execute<{ key: string; file_id: string | null }>(sql`
    select key, file_id from (
      (select storage_key as key, id as file_id from files
        where storage = ${storage} and purged_at is null and storage_key collate "C" > ${afterKey}
        order by storage_key collate "C" limit ${limit})
      union all
      (select storage_key, null from uploads
        where storage = ${storage} and storage_key collate "C" > ${afterKey}
        order by storage_key collate "C" limit ${limit})
    ) named order by key collate "C" limit ${limit}`)
  return rows.map(({ key, file_id: fileId }) => ({ key, fileId }))
}

/**
 * Returns which of these keys in a store belong to an upload, to a file with bytes there, or to a
 * file whose bytes were removed after `purgedAfter`. Files moved to another store are excluded, so
 * the comparison removes their old copies.
 */
export async function findReferencedKeys(
  db: Db,
  storage: StorageName,
  keys: string[],
  purgedAfter: Date,
): Promise<Set<string>> {
  const referencedRows = await db
    .select({ key: uploads.storageKey })
    .from(uploads)
    .where(and(eq(uploads.storage, storage), inArray(uploads.storageKey, keys)))
    .unionAll(
      db
        .select({ key: files.storageKey })
        .from(files)
        .where(
          and(
            eq(files.storage, storage),
            inArray(files.storageKey, keys),
            or(isNull(files.purgedAt), gt(files.purgedAt, purgedAfter)),
          ),
        ),
    )
  return new Set(referencedRows.map(({ key }) => key))
}

/**
 * True if, according to the database, the file's bytes are stored and their removal hasn't begun.
 */
export async function isFileStored(db: Db, fileId: string): Promise<boolean> {
  const rows = await db
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.id, fileId), isNull(files.purgedAt), isNull(files.purgingAt)))
  return rows.length > 0
}

/** The counts that a job reports, such as `{ removed: 3 }`. */
export type JobResult = Record<string, number>

/** Records a job's successful run and its result. Resets the number of consecutive failures. */
export async function recordRun(
  db: Db,
  run: { job: string; startedAt: Date; endedAt: Date; result: JobResult },
): Promise<void> {
  const row = { ...run, failures: 0 }
  await db.insert(jobRuns).values(row).onConflictDoUpdate({ target: jobRuns.job, set: row })
}

/**
 * Records a job's failed run and its error. Increments the number of consecutive failures and keeps
 * the record of the last success.
 */
export async function recordFailedRun(
  db: Db,
  run: { job: string; failedAt: Date; failure: string },
): Promise<void> {
  await db
    .insert(jobRuns)
    .values({ ...run, failures: 1 })
    .onConflictDoUpdate({
      target: jobRuns.job,
      set: { ...run, failures: sql`${jobRuns.failures} + 1` },
    })
}

/** How many jobs in a queue are due, and how many are running. */
export interface QueueDepth {
  queue: string
  /**
   * Jobs that are ready to start. Excludes jobs scheduled for later, such as emails about a trial,
   * and failed jobs that are waiting for a retry.
   */
  due: number
  running: number
}

/** Counts the due and running jobs in each nonempty queue. */
export async function countQueued(db: Db): Promise<QueueDepth[]> {
  const { rows } = await db.execute<{ queue: string; due: number; running: number }>(sql`
    select name as queue,
      count(*) filter (where state < 'active' and start_after <= now())::int as due,
      count(*) filter (where state = 'active')::int as running
    from pgboss.job where state <= 'active' group by name`)
  return rows
}

/** The queue's records of a job's runs. */
export interface JobRecord {
  name: JobName
  cron: string
  /** When the job was first scheduled. */
  scheduledAt: Date
  /** The last successful run, or null if there was none. */
  success: { startedAt: Date; endedAt: Date; result: JobResult } | null
  /** The last failed run, or null if the last run succeeded. */
  failure: { at: Date; reason: string; consecutiveFailures: number } | null
  /** Start time of the current run. Null if the job isn't running. */
  runningSince: Date | null
}

/** Reads the schedules and the last runs, on any server, of all jobs. */
export async function listJobRecords(db: Db): Promise<JobRecord[]> {
  const name = sql<JobName>`s.name`
  const rows = await db
    .select({
      name,
      cron: sql<string>`s.cron`,
      scheduledAt: sql`s.created_on`.mapWith(jobRuns.startedAt),
      run: jobRuns,
      runningSince: sql<Date | null>`(select max(j.started_on) from pgboss.job j
        where j.name = s.name and j.state = 'active'
          and j.heartbeat_on > now() - interval '2 minutes')`.mapWith(jobRuns.startedAt),
    })
    .from(sql`pgboss.schedule s`)
    .leftJoin(jobRuns, eq(jobRuns.job, name))
    .where(inArray(name, [...jobNames]))
  return rows.map(({ run, ...job }) => {
    const { startedAt = null, endedAt = null, failedAt = null } = run ?? {}
    const consecutiveFailures = run?.failures ?? 0
    return {
      ...job,
      success: startedAt && endedAt && { startedAt, endedAt, result: run?.result ?? {} },
      failure:
        failedAt && consecutiveFailures > 0
          ? { at: failedAt, reason: run?.failure ?? '', consecutiveFailures }
          : null,
    }
  })
}

/**
 * Resets pg-boss timestamps that are more than a minute in the future, because they were written
 * while the database's clock was ahead. pg-boss bases its maintenance, its retries and the expiry
 * of killed runs on these timestamps, so jobs would otherwise wait until those times. Emails
 * scheduled for later keep their time.
 * @returns the number of rows changed.
 */
export async function resetFutureTimestamps(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  // Tolerates timestamps that other connections write while these statements run.
  const soonSql = `now() + interval '1 minute'`
  // A single string without parameters makes these statements one round trip and one transaction.
  // `not blocked` and `state <> 'cancelled'` let them use indexes instead of scanning the table.
  // Due runs of the schedule pass through a pg-boss queue that accepts only one entry per minute.
  const results: unknown = await pool.query(`
    update pgboss.version set cron_on = null, bam_on = null, flow_on = null, reindex_on = null
      where greatest(cron_on, bam_on, flow_on, reindex_on) > ${soonSql};
    update pgboss.queue set monitor_claim_on = null, monitor_on = null, maintain_on = null
      where greatest(monitor_claim_on, monitor_on, maintain_on) > ${soonSql};
    update pgboss.schedule set created_on = now() where created_on > ${soonSql};
    update pgboss.job set start_after = now()
      where state < 'active' and not blocked and start_after > ${soonSql}
        and (state = 'created' and start_after < created_on + interval '1 minute'
          or state = 'retry'
            and start_after > ${soonSql} + coalesce(retry_delay_max, 60) * interval '1 second');
    update pgboss.job set started_on = least(started_on, now()), heartbeat_on = now()
      where state = 'active' and greatest(started_on, heartbeat_on) > ${soonSql};
    update pgboss.job set singleton_on = null
      where name = '__pgboss__send-it' and state <> 'cancelled'
        and singleton_on > (${soonSql}) at time zone 'utc'`)
  return (results as pg.QueryResult[]).reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)
}
