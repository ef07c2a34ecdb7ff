import { aliasedTable, desc, eq, type SQL, sql } from 'drizzle-orm'
import { type PgColumn, union } from 'drizzle-orm/pg-core'
import type { AuditAction } from '../../shared/rules/audit-action.ts'
import { auditLog, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/**
 * How many deleted users of one mail address a search takes into account. Each makes the query
 * longer, and an address can be signed up and deleted any number of times.
 */
export const mostDeleted = 20

/** Which lines of the audit log to list. */
export interface WantedLines {
  limit: number
  /** If it is given, only lines that are older than the line with this id. */
  before?: number | undefined
  /**
   * Selects only the lines about what the user with this mail address did, or about what was done
   * to this user. The newest `mostDeleted` deleted users who had this address count too.
   */
  email?: string | undefined
  action?: AuditAction | undefined
}

/**
 * Lists lines of the audit log, newest first. Each line has the mail addresses of its users. For a
 * deleted user, the line about the deletion still holds the address.
 *
 * The log only grows, so a search must not walk along it. Whatever the search asks for, an index has
 * these lines in the order of the list, and Postgres reads a page of them and no more.
 */
export async function listAudit(db: Db, wanted: WantedLines) {
  const { email } = wanted
  const [id, ...others] = email === undefined ? [] : await idsWith(db, email)
  if (email !== undefined && id === undefined) return []
  const found = (
    id === undefined ? newestLines(db, wanted) : linesAbout(db, [id, ...others], wanted)
  ).as('found')
  const actors = aliasedTable(users, 'actors')
  const subjects = aliasedTable(users, 'subjects')
  return db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      action: auditLog.action,
      ipAddress: auditLog.ipAddress,
      details: auditLog.details,
      actor: nameOf(actors.email, auditLog.actor),
      subject: nameOf(subjects.email, auditLog.subject),
    })
    .from(found)
    .innerJoin(auditLog, eq(auditLog.id, found.id))
    .leftJoin(actors, eq(actors.id, auditLog.actor))
    .leftJoin(subjects, eq(subjects.id, auditLog.subject))
    .orderBy(desc(auditLog.id))
}

/** Returns the id of the last entry about what this user did; null if there is none. */
export async function lastLineOf(db: Db, actor: string): Promise<number | null> {
  const [last] = await newestLines(db, { limit: 1 }, [[auditLog.actor, actor]])
  return last?.id ?? null
}

// The action is a part of the SQL text, not a parameter. With a parameter, Postgres could not use
// the index on the addresses of deleted users.
const isDeletion = sql.raw("action = 'delete-user'")

/** Returns SQL that gives the mail address of a user, or the user's id if no address is known. */
function nameOf(email: PgColumn, id: PgColumn): SQL<string | null> {
  const ofDeleted = sql`(select deletions.details ->> 'email' from ${auditLog} deletions
    where deletions.subject = ${id} and deletions.${isDeletion} limit 1)`
  return sql`coalesce(${email}, ${ofDeleted}, ${id})`
}

type WantedOfAnybody = Omit<WantedLines, 'email'>

/** A column, and the value that it must have. */
type Match = readonly [column: PgColumn, value: string]

/**
 * Selects the ids of the newest lines, of those that match.
 *
 * It asks for a range of the index that has exactly these columns, and reads it backwards. With a
 * condition for each column, the primary key would have the lines in the right order too. Then
 * Postgres might walk along the whole log, because it expects soon what was done only long ago.
 */
function newestLines(db: Db, { limit, before, action }: WantedOfAnybody, who: Match[] = []) {
  const matches: Match[] = action === undefined ? who : [[auditLog.action, action], ...who]
  const columns = [...matches.map(([column]) => column), auditLog.id]
  const values = matches.map(([, value]) => value)
  const end = before ?? Number.MAX_SAFE_INTEGER
  return db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      sql`${row(columns)} >= ${row([...values, 0])} and ${row(columns)} < ${row([...values, end])}`,
    )
    .orderBy(...columns.map((column) => desc(column)))
    .limit(limit)
}

/** Returns a row of columns or values as SQL. Postgres compares rows by their first differences. */
function row(parts: unknown[]): SQL {
  const listed = parts.map((part) => sql`${part}`)
  return sql`(${sql.join(listed, sql`, `)})`
}

/**
 * Returns the ids of the user with this mail address, and of the newest deleted users who had it.
 * They are ordered by time and not by id: to order by id, Postgres might walk along the whole log.
 */
async function idsWith(db: Db, email: string): Promise<string[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.email, email))
    .unionAll(
      db
        .select({ id: sql<string>`${auditLog.subject}` })
        .from(auditLog)
        .where(sql`${isDeletion} and ${auditLog.details} ->> 'email' = ${email}`)
        .orderBy(desc(auditLog.at))
        .limit(mostDeleted),
    )
  return rows.map(({ id }) => id)
}

/**
 * Selects the ids of the newest lines about what these users did or underwent. It merges the newest
 * lines of each user, once by actor and once by subject. With one condition for all of them, or with
 * ids that Postgres does not know when it plans the query, it would sort all lines of these users.
 */
function linesAbout(db: Db, [id, ...others]: [string, ...string[]], wanted: WantedOfAnybody) {
  const by = (actor: string) => newestLines(db, wanted, [[auditLog.actor, actor]])
  const about = (subject: string) => newestLines(db, wanted, [[auditLog.subject, subject]])
  return union(by(id), about(id), ...others.flatMap((other) => [by(other), about(other)]))
    .orderBy(sql`id desc`)
    .limit(wanted.limit)
}
