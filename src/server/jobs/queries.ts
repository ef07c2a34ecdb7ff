import { and, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm'
import type pg from 'pg'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { files, jobRuns, uploads } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** A storage key that the row of an upload or a file contains. */
export interface NamedKey {
  key: string
  /**
   * The id of the confirmed file with this key; null for an upload, which may have no bytes yet.
   */
  fileId: string | null
}

/**
 * Lists the keys that uploads and files with bytes have in a store, sorted. The list has at most
 * `limit` keys, and begins with the first one after `after`.
 */
export async function listNamedKeys(
  db: Db,
  storage: StorageName,
  after: string,
  limit: number,
): Promise<NamedKey[]> {
  const { rows } = await db.execute<{ key: string; file_id: string | null }>(sql`
    select key, file_id from (
      (select storage_key as key, id as file_id from files
        where storage = ${storage} and purged_at is null and storage_key collate "C" > ${after}
        order by storage_key collate "C" limit ${limit})
      union all
      (select storage_key, null from uploads
        where storage = ${storage} and storage_key collate "C" > ${after}
        order by storage_key collate "C" limit ${limit})
    ) named order by key collate "C" limit ${limit}`)
  return rows.map(({ key, file_id: fileId }) => ({ key, fileId }))
}

/**
 * Returns which of these keys in a store belong to an upload, to a file whose bytes are stored
 * there, or to a file whose bytes were removed after `before`. A file that was moved to another
 * store is not among them, so the comparison removes its old copy.
 */
export async function findNamedKeys(
  db: Db,
  storage: StorageName,
  keys: string[],
  before: Date,
): Promise<Set<string>> {
  const named = await db
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
            or(isNull(files.purgedAt), gt(files.purgedAt, before)),
          ),
        ),
    )
  return new Set(named.map(({ key }) => key))
}

/** Tells whether a file's row still says that its bytes are stored, and no removal has begun. */
export async function isKept(db: Db, fileId: string): Promise<boolean> {
  const kept = await db
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.id, fileId), isNull(files.purgedAt), isNull(files.purgingAt)))
  return kept.length > 0
}

/** What a job did, as counts with names: `{ removed: 3 }`. */
export type JobResult = Record<string, number>

/**
 * Records a successful run of a job: when it ran and what it did. Sets the number of consecutive
 * failures back to 0.
 */
export async function noteRun(
  db: Db,
  run: { job: string; startedAt: Date; endedAt: Date; result: JobResult },
): Promise<void> {
  const row = { ...run, failures: 0 }
  await db.insert(jobRuns).values(row).onConflictDoUpdate({ target: jobRuns.job, set: row })
}

/**
 * Records that a run of a job failed, and why. Adds one to the number of consecutive failures. Does
 * not change what the row says about the last successful run.
 */
export async function noteFailedRun(
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

/** How many jobs of a queue are due now, and how many are running. */
export interface QueueDepth {
  queue: string
  /**
   * Jobs that could run now, but have not begun. Jobs for a later time do not count, such as
   * emails about a trial, and failed jobs that wait for their next try.
   */
  due: number
  running: number
}

/** Counts the due and the running jobs of each queue that has any. */
export async function countQueued(db: Db): Promise<QueueDepth[]> {
  const { rows } = await db.execute<{ queue: string; due: number; running: number }>(sql`
    select name as queue,
      count(*) filter (where state < 'active' and start_after <= now())::int as due,
      count(*) filter (where state = 'active')::int as running
    from pgboss.job where state <= 'active' group by name`)
  return rows
}

/** How the last runs of a job ended. */
export interface JobRecord {
  job: string
  /**
   * The end of the last run that succeeded, in seconds since 1970. Before the first, when the job
   * was scheduled, so that the age also grows for a job that never succeeds. null if neither is
   * known.
   */
  succeededAt: number | null
  /** What the last run that succeeded did, in figures; null where none has succeeded. */
  result: JobResult | null
  /** How many runs have failed since the last one that succeeded. */
  failures: number
}

/** Returns the last runs of all jobs that ran or are scheduled, on whichever server they ran. */
export async function listJobRecords(db: Db): Promise<JobRecord[]> {
  type Row = { job: string; succeeded: string | null; result: JobResult | null; failures: number }
  const { rows } = await db.execute<Row>(sql`
    select coalesce(r.job, s.name) as job,
      extract(epoch from coalesce(r.ended_at, s.created_on))::text as succeeded,
      r.result, coalesce(r.failures, 0) as failures
    from job_runs r full join pgboss.schedule s on s.name = r.job`)
  return rows.map(({ succeeded, ...record }) => ({
    ...record,
    succeededAt: succeeded === null ? null : Number(succeeded),
  }))
}

/**
 * Sets back what pg-boss has noted for a time more than a minute from now: the clock of the
 * database was ahead then. Without this, nothing runs until that time, because pg-boss begins a
 * pass only some time after the last one, a retry only after its wait, and gives up a killed run
 * only some time after its last heartbeat. An email that was planned for later keeps its time.
 * @returns how many rows were set back.
 */
export async function pullBackFutureStamps(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  // Other connections note times after this statement has begun, and those are no error.
  const soon = `now() + interval '1 minute'`
  // As one text without values, these statements are one round trip and one transaction. With
  // `not blocked` and `state <> 'cancelled'` they read indexes and not the whole table. Due runs of
  // the schedule go through a queue of pg-boss's own, where a minute that has an entry gets no
  // second one.
  const results: unknown = await pool.query(`
    update pgboss.version set cron_on = null, bam_on = null, flow_on = null, reindex_on = null
      where greatest(cron_on, bam_on, flow_on, reindex_on) > ${soon};
    update pgboss.queue set monitor_claim_on = null, monitor_on = null, maintain_on = null
      where greatest(monitor_claim_on, monitor_on, maintain_on) > ${soon};
    update pgboss.schedule set created_on = now() where created_on > ${soon};
    update pgboss.job set start_after = now()
      where state < 'active' and not blocked and start_after > ${soon}
        and (state = 'created' and start_after < created_on + interval '1 minute'
          or state = 'retry'
            and start_after > ${soon} + coalesce(retry_delay_max, 60) * interval '1 second');
    update pgboss.job set started_on = least(started_on, now()), heartbeat_on = now()
      where state = 'active' and greatest(started_on, heartbeat_on) > ${soon};
    update pgboss.job set singleton_on = null
      where name = '__pgboss__send-it' and state <> 'cancelled'
        and singleton_on > (${soon}) at time zone 'utc'`)
  return (results as pg.QueryResult[]).reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)
}
