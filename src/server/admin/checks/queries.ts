import { sql } from 'drizzle-orm'
import { connectionNames } from '../../db/pool.ts'
import type { Db } from '../../db/transaction.ts'
import { supportEmails } from '../../email/mail-queue.ts'
import { emailQueueName } from '../../jobs/job-queue.ts'

/** The Postgres version and connection counts. */
export interface DatabaseInfo {
  version: string
  major: number
  /** Maximum number of connections for users without superuser rights. */
  allowed: number
  /** Open connections to all databases. */
  open: number
  /** Open connections from all Mayfly servers that use this database. */
  pooled: number
}

export async function readDatabase(db: Db): Promise<DatabaseInfo> {
  const { rows } = await db.execute<{ [Key in keyof DatabaseInfo]: DatabaseInfo[Key] }>(sql`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed,
      (select count(*)::int from pg_stat_activity where datid is not null) as open,
      (select count(*)::int from pg_stat_activity where datname = current_database()
        and application_name = ${connectionNames.server}) as pooled`)
  const [info] = rows
  if (!info) throw new Error('Expected a row about the database.')
  return info
}

/** Returns the database's current time, to the millisecond. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const { rows } = await db.execute<{ ms: string }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms`,
  )
  return new Date(Number(rows[0]?.ms))
}

/** An email that the mail server rejected or that couldn't be sent within a day. */
export interface LostEmail {
  kind: string
  /** Null if the account or signup no longer exists. */
  address: string | null
  reason: string
  at: Date
}

/**
 * The emails that the queue gave up on recently. `total` counts all of them; `newest` lists only
 * some.
 */
export interface LostEmails {
  total: number
  newest: LostEmail[]
}

/** SQL for why the last attempt failed: the mail server's response, or a timeout. */
const lastReason = sql.raw(
  "coalesce(j.output->>'reason', j.output->'value'->>'message', 'no reason was noted')",
)

/**
 * Lists the newest emails that the queue gave up on in the last `days` days. Emails of the kinds in
 * `supportEmails` go to `supportEmail`. For emails of other kinds, the queue stores an email
 * address or the id of an account, a request or a signup. Leaves out links by email, whose senders
 * see which addresses failed.
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
    left join requests r on r.id::text = j.data->>'requestId'
    left join users u on u.id = coalesce(j.data->>'userId', r.owner_id)
    left join pending_signups s on s.id = j.data->>'signupId'
    where j.name = ${emailQueueName} and j.state = 'failed'
      and j.data->>'kind' is distinct from 'shared-link'
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

/** Emails that are due but still in the queue. */
export interface WaitingEmails {
  /**
   * How many emails have failed several attempts. `maxAttempts` is the highest number of attempts
   * for any of them, and `reason` is why the most recent attempt failed.
   */
  retrying: number
  maxAttempts: number
  reason: string | null
  /** How many emails have been due for several minutes without an attempt. */
  unattempted: number
}

/**
 * Counts emails with at least `tries` failed attempts, and emails that have been due for over
 * `minutes` minutes without an attempt.
 */
export async function countWaitingEmails(
  db: Db,
  { tries, minutes }: { tries: number; minutes: number },
): Promise<WaitingEmails> {
  const { rows } = await db.execute<{ [Key in keyof WaitingEmails]: WaitingEmails[Key] }>(sql`
    select count(*) filter (where tried)::int as retrying,
      coalesce(max(j.retry_count + 1) filter (where tried), 0) as "maxAttempts",
      (array_agg(${lastReason} order by j.started_on desc) filter (where tried))[1] as reason,
      count(*) filter (where j.state = 'created'
        and j.start_after < now() - ${minutes} * interval '1 minute')::int as unattempted
    from pgboss.job j, lateral (select j.state = 'retry' and j.retry_count + 1 >= ${tries} as tried) t
    where j.name = ${emailQueueName} and j.state < 'active'`)
  const [counts] = rows
  if (!counts) throw new Error('Expected the counts.')
  return counts
}
