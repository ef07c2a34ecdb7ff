import { aliasedTable, desc, eq, is, SQL, sql } from 'drizzle-orm'
import { type PgColumn, union, unionAll } from 'drizzle-orm/pg-core'
import type { AuditAction } from '../../shared/rules/accounts/audit-action.ts'
import { deletionOfUser, shortCodeOf } from '../db/audit-table.ts'
import { auditLog, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import type { AuditSearch } from './audit-search.ts'

/**
 * How many deleted users of one mail address a search takes into account. Each makes the query
 * longer, and an address can be signed up and deleted any number of times.
 */
export const mostDeleted = 20

/**
 * The position of a line in the list: when it was written, and its id. The clocks of several
 * servers differ a little, so a line may have a greater id than a later one.
 */
export type AuditPlace = readonly [at: Date, id: number]

/** Which lines of the audit log to list. */
export interface WantedLines {
  limit: number
  /** If it is given, only lines that come after this position in the list: older ones. */
  before?: AuditPlace | undefined
  /** If it is given, only lines of this moment and later. */
  from?: Date | undefined
  /** If it is given, only lines from before this moment. */
  to?: Date | undefined
  /**
   * Selects only the lines about what a user did, or about what was done to a user; or those of an
   * IP address, or about a link. By a mail address, the newest `mostDeleted` deleted users who had
   * it count too.
   */
  search?: AuditSearch | undefined
  action?: AuditAction | undefined
}

/**
 * Lists lines of the audit log, newest first. Each line has the mail addresses of its users. For a
 * deleted user, the line about the deletion still holds the address.
 *
 * The log only grows, so a search must not walk along it. Whatever the search asks for, an index
 * has these lines in the order of the list, and Postgres reads a page of them and no more.
 */
export async function listAudit(db: Db, { search, ...wanted }: WantedLines) {
  if (search === undefined) return withNames(db, newestLines(db, wanted))
  if (search.kind === 'address') {
    return withNames(db, newestLines(db, wanted, [auditLog.ipAddress, search.ipAddress]))
  }
  if (search.kind === 'link') {
    const ofLink = [shortCodeOf(auditLog.details), search.shortCode] as const
    return withNames(db, newestLines(db, wanted, ofLink))
  }
  const [id, ...others] = search.kind === 'user' ? [search.id] : await idsWith(db, search.email)
  return id === undefined ? [] : withNames(db, linesAbout(db, [id, ...others], wanted))
}

/** Lists the newest line of each of these actions, in the form of `listAudit`. */
export function lastLinesOf(
  db: Db,
  actions: readonly [AuditAction, AuditAction, ...AuditAction[]],
) {
  const last = (action: AuditAction) => newestLines(db, { limit: 1, action })
  const [first, second, ...others] = actions
  const found = unionAll(last(first), last(second), ...others.map(last))
    .orderBy(newestFirst)
    .limit(actions.length)
  return withNames(db, found)
}

/** Reads these lines, newest first, with the mail addresses of their users. */
function withNames(db: Db, lines: Found) {
  const found = lines.as('found')
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
    .orderBy(desc(auditLog.at), desc(auditLog.id))
}

/**
 * Returns the id of the newest line about what this user did; null if there is none. The id
 * decides, not the time, so that an act counts even if the clock of its server is behind.
 */
export async function lastLineOf(db: Db, actor: string): Promise<number | null> {
  const place = row([auditLog.actor, auditLog.id])
  const [last] = await db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      sql`${place} >= ${row([actor, 0])} and ${place} <= ${row([actor, Number.MAX_SAFE_INTEGER])}`,
    )
    .orderBy(desc(auditLog.actor), desc(auditLog.id))
    .limit(1)
  return last?.id ?? null
}

/** Returns SQL that gives the mail address of a user, or the user's id if no address is known. */
function nameOf(email: PgColumn, id: PgColumn): SQL<string | null> {
  const ofDeleted = sql`(select deletions.details ->> 'email' from ${auditLog} deletions
    where deletions.subject = ${id} and deletions.action = ${deletionOfUser} limit 1)`
  return sql`coalesce(${email}, ${ofDeleted}, ${id})`
}

/** The order of the list, for lines that were put together from several queries. */
const newestFirst = sql.raw('at desc, id desc')

type WantedOfAnybody = Omit<WantedLines, 'search'>

/** A column or an expression, and the value that it must have. */
type Match = readonly [column: PgColumn | SQL, value: string]

/** A query for the ids and times of lines. */
type Found = ReturnType<typeof newestLines> | ReturnType<typeof linesAbout>

/**
 * Selects the newest of the lines that match.
 *
 * It asks for a range of the index that has exactly the columns of the matches, the time and the
 * id, and reads it backwards. With a separate condition for each column, an index without one of
 * these columns would also have the lines in the right order. Postgres might choose that index,
 * because it expects to find matches soon, and walk along the whole log to an act of long ago.
 */
function newestLines(db: Db, { limit, before, action, from, to }: WantedOfAnybody, who?: Match) {
  const matches: Match[] = action === undefined ? [] : [[auditLog.action, action]]
  if (who !== undefined) matches.push(who)
  const columns = [...matches.map(([column]) => column), auditLog.at, auditLog.id]
  const values = matches.map(([, value]) => value)
  const isBefore = before !== undefined && (to === undefined || before[0] < to)
  const [endAt, endId] = isBefore ? before : [to, 0]
  const start = row([...values, from?.toISOString() ?? '-infinity', 0])
  const end = row([...values, endAt?.toISOString() ?? 'infinity', endId])
  const inRange = sql`${row(columns)} >= ${start} and ${row(columns)} < ${end}`
  // Postgres uses a partial index only if the query itself excludes the rows that the index lacks.
  const [column] = who ?? []
  return db
    .select({ id: auditLog.id, at: auditLog.at })
    .from(auditLog)
    .where(is(column, SQL) ? sql`${inRange} and ${column} is not null` : inRange)
    .orderBy(...columns.map((one) => desc(one)))
    .limit(limit)
}

/** Returns a row of columns or values as SQL. Postgres compares rows by their first differences. */
function row(parts: unknown[]): SQL {
  const listed = parts.map((part) => sql`${part}`)
  return sql`(${sql.join(listed, sql`, `)})`
}

/**
 * Returns the ids of the user with this mail address, and of the newest deleted users who had it.
 * Like `newestLines`, it asks for a range of an index.
 */
async function idsWith(db: Db, email: string): Promise<string[]> {
  const address = sql`(${auditLog.details} ->> 'email')`
  const place = row([address, auditLog.at])
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.email, email))
    .unionAll(
      db
        .select({ id: sql<string>`${auditLog.subject}` })
        .from(auditLog)
        .where(
          sql`action = ${deletionOfUser} and ${place} >= ${row([email, '-infinity'])} and ${place} <= ${row([email, 'infinity'])}`,
        )
        .orderBy(desc(address), desc(auditLog.at))
        .limit(mostDeleted),
    )
  return rows.map(({ id }) => id)
}

/**
 * Selects the newest lines about what these users did or underwent. It merges the newest lines of
 * each user, once by actor and once by subject. With one condition for all of them, or with ids
 * that Postgres does not know when it plans the query, it would sort all lines of these users.
 */
function linesAbout(db: Db, [id, ...others]: [string, ...string[]], wanted: WantedOfAnybody) {
  const by = (actor: string) => newestLines(db, wanted, [auditLog.actor, actor])
  const about = (subject: string) => newestLines(db, wanted, [auditLog.subject, subject])
  return union(by(id), about(id), ...others.flatMap((other) => [by(other), about(other)]))
    .orderBy(newestFirst)
    .limit(wanted.limit)
}
