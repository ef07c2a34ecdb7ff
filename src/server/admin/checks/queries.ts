import { sql } from 'drizzle-orm'
import { connectionNames } from '../../db/pool.ts'
import type { Db } from '../../db/transaction.ts'
import { supportEmails } from '../../email/mail-queue.ts'
import type { JobName } from '../../jobs/job-names.ts'
import { mailQueueName } from '../../jobs/job-queue.ts'
import type { JobResult } from '../../jobs/queries.ts'

/** What Postgres tells about itself. */
export interface DatabaseFacts {
  version: string
  major: number
  /** How many connections the database allows to ordinary users. */
  allowed: number
  /** How many connections are open now, to all databases. */
  open: number
  /** How many of them belong to the pools of the servers of this database. */
  pooled: number
}

/**
 * Reads what Postgres tells about itself. The query finds the connections of our servers by their
 * names.
 */
export async function readDatabase(db: Db): Promise<DatabaseFacts> {
  const { rows } = await db.execute<{ [Key in keyof DatabaseFacts]: DatabaseFacts[Key] }>(sql`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed,
      (select count(*)::int from pg_stat_activity where datid is not null) as open,
      (select count(*)::int from pg_stat_activity where datname = current_database()
        and application_name = ${connectionNames.server}) as pooled`)
  const [facts] = rows
  if (!facts) throw new Error('the database said nothing about itself')
  return facts
}

/** Returns the time of the database's clock, to the millisecond. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const { rows } = await db.execute<{ ms: string }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms`,
  )
  return new Date(Number(rows[0]?.ms))
}

/** An email that the mail server refused, or that could not be sent for a day. */
export interface LostEmail {
  kind: string
  /** null if the account or the signup no longer exists. */
  address: string | null
  reason: string
  at: Date
}

/**
 * The emails that the queue has given up in the last days. `newest` lists only the newest of them;
 * `total` counts all.
 */
export interface LostEmails {
  total: number
  newest: LostEmail[]
}

/**
 * The reason that the queue recorded for the last try: what the mail server said, or that the try
 * took too long.
 */
const lastReason = sql.raw(
  "coalesce(j.output->>'reason', j.output->'value'->>'message', 'no reason was noted')",
)

/**
 * Lists the newest emails that the queue has given up in the last `days` days. An email of
 * `supportEmails` goes to `supportEmail`. For every other email, the queue holds an
 * address, or the id of an account or a signup.
 */
export async function listLostEmails(
  db: Db,
  { days, limit, supportEmail }: { days: number; limit: number; supportEmail: string },
): Promise<LostEmails> {
  const { rows } = await db.execute<{
    kind: string
    address: string | null
    reason: string
    ms: string
    total: number
  }>(sql`
    select coalesce(j.data->>'kind', 'email') as kind,
      case when j.data->>'kind' = any(${sql.param(supportEmails)}::text[]) then ${supportEmail}
        else coalesce(j.data->>'email', u.email, s.email) end as address,
      ${lastReason} as reason,
      floor(extract(epoch from j.completed_on) * 1000)::text as ms,
      (count(*) over ())::int as total
    from pgboss.job j
    left join users u on u.id = j.data->>'userId'
    left join pending_signups s on s.id = j.data->>'signupId'
    where j.name = ${mailQueueName} and j.state = 'failed'
      and j.completed_on > now() - ${days} * interval '1 day'
    order by j.completed_on desc limit ${limit}`)
  return {
    total: rows[0]?.total ?? 0,
    newest: rows.map(({ ms, total: _total, ...content }) => ({
      ...content,
      at: new Date(Number(ms)),
    })),
  }
}

/** The emails that still wait although they should have been sent. */
export interface WaitingEmails {
  /**
   * How many emails were tried again several times without success. `mostTries` is how often one
   * of them was tried again at most, and `reason` is why the last try failed.
   */
  tried: number
  mostTries: number
  reason: string | null
  /** How many emails have been due for minutes without any try. */
  untried: number
}

/**
 * Counts the emails that were tried again at least `tries` times without success, and those that
 * have been due for more than `minutes` minutes without any try.
 */
export async function countWaitingEmails(
  db: Db,
  { tries, minutes }: { tries: number; minutes: number },
): Promise<WaitingEmails> {
  const { rows } = await db.execute<{
    tried: number
    most_tries: number
    reason: string | null
    untried: number
  }>(sql`
    select count(*) filter (where tried)::int as tried,
      coalesce(max(j.retry_count + 1) filter (where tried), 0) as most_tries,
      (array_agg(${lastReason} order by j.started_on desc) filter (where tried))[1] as reason,
      count(*) filter (where j.state = 'created'
        and j.start_after < now() - ${minutes} * interval '1 minute')::int as untried
    from pgboss.job j, lateral (select j.state = 'retry' and j.retry_count + 1 >= ${tries} as tried) t
    where j.name = ${mailQueueName} and j.state < 'active'`)
  const [counted] = rows
  return {
    tried: counted?.tried ?? 0,
    mostTries: counted?.most_tries ?? 0,
    reason: counted?.reason ?? null,
    untried: counted?.untried ?? 0,
  }
}

/** What the queue knows about the runs of a job. */
export interface JobFacts {
  name: JobName
  cron: string
  /** When the job was first scheduled. */
  scheduledAt: Date
  /** The last run that succeeded; null if there was none. */
  success: { startedAt: Date; endedAt: Date; result: JobResult } | null
  /**
   * The last failed run, if no run has succeeded since then; otherwise null. `inARow` is the number
   * of runs that have failed since the last success.
   */
  failure: { at: Date; reason: string; inARow: number } | null
  /** When the run that is going on now began. null if the job is not running. */
  runsSince: Date | null
}

/** Reads the schedules of these jobs, and what the queue knows about their runs. */
export async function listJobFacts(db: Db, names: readonly JobName[]): Promise<JobFacts[]> {
  const { rows } = await db.execute<{
    name: JobName
    cron: string
    scheduled: string
    started: string | null
    ended: string | null
    result: JobResult | null
    failed: string | null
    failure: string | null
    failures: number | null
    runs: string | null
  }>(sql`
    select s.name, s.cron, ${milliseconds('s.created_on')} as scheduled,
      ${milliseconds('r.started_at')} as started, ${milliseconds('r.ended_at')} as ended, r.result,
      ${milliseconds('r.failed_at')} as failed, r.failure, r.failures,
      (select ${milliseconds('max(j.started_on)')} from pgboss.job j
        where j.name = s.name and j.state = 'active'
          and j.heartbeat_on > now() - interval '2 minutes') as runs
    from pgboss.schedule s left join job_runs r on r.job = s.name
    where s.name in (${sql.join(
      names.map((name) => sql`${name}`),
      sql`, `,
    )})`)
  return rows.map(
    ({ name, cron, scheduled, started, ended, result, failed, failure, failures, runs }) => ({
      name,
      cron,
      scheduledAt: new Date(Number(scheduled)),
      success:
        started !== null && ended !== null
          ? {
              startedAt: new Date(Number(started)),
              endedAt: new Date(Number(ended)),
              result: result ?? {},
            }
          : null,
      failure:
        failed !== null && failures !== null && failures > 0
          ? { at: new Date(Number(failed)), reason: failure ?? '', inARow: failures }
          : null,
      runsSince: runs === null ? null : new Date(Number(runs)),
    }),
  )
}

/**
 * Returns SQL for a moment in milliseconds since 1970, as text. Without it, `db.execute` would
 * return moments as text in varying formats.
 */
function milliseconds(column: string) {
  return sql.raw(`floor(extract(epoch from ${column}) * 1000)::text`)
}
