import { aliasedTable, and, desc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { AuditAction } from '../../shared/rules/accounts/audit-action.ts'
import { extractShortCode } from '../../shared/rules/links/short-code.ts'
import { deleteUserAction, shortCodeOf } from '../db/audit-table.ts'
import { auditLog, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { readAddress } from '../http/client-address.ts'

/**
 * The sort key of an entry: its time and id. The id alone isn't enough, because server clocks
 * differ slightly: an entry with a later time may have a smaller id.
 */
export type AuditCursor = readonly [at: Date, id: number]

interface AuditQuery {
  limit: number
  /** If given, only entries after this position in the list are returned. */
  after?: AuditCursor | undefined
  /** Start of the time range, inclusive. */
  from?: Date | undefined
  /** End of the time range, exclusive. */
  to?: Date | undefined
  action?: AuditAction | undefined
  /** The text to search for: an email address, a user id, an IP address, a link or a short code. */
  search?: string | undefined
}

/** Lists audit log entries, newest first, with the email addresses of the users involved. */
export async function listAudit(db: Db, { limit, after, from, to, action, search }: AuditQuery) {
  const cursorCondition =
    after &&
    sql`(${auditLog.at}, ${auditLog.id}) < (${after[0].toISOString()}::timestamptz, ${after[1]})`
  return selectEntries(
    db,
    and(
      cursorCondition,
      from && gte(auditLog.at, from),
      to && lt(auditLog.at, to),
      action && eq(auditLog.action, action),
      search ? await searchCondition(db, search) : undefined,
    ),
  ).limit(limit)
}

/** Returns the newest entry of each action, in the same format as `listAudit`. */
export function listNewestEntries(db: Db, actions: readonly AuditAction[]) {
  const newestIdsQuery = db
    .selectDistinctOn([auditLog.action], { id: auditLog.id })
    .from(auditLog)
    .where(inArray(auditLog.action, [...actions]))
    .orderBy(auditLog.action, desc(auditLog.at), desc(auditLog.id))
  return selectEntries(db, inArray(auditLog.id, newestIdsQuery))
}

function selectEntries(db: Db, condition: SQL | undefined) {
  const actors = aliasedTable(users, 'actors')
  const subjects = aliasedTable(users, 'subjects')
  return db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      action: auditLog.action,
      ipAddress: auditLog.ipAddress,
      details: auditLog.details,
      actor: selectAddress(actors.email, auditLog.actor),
      subject: selectAddress(subjects.email, auditLog.subject),
    })
    .from(auditLog)
    .leftJoin(actors, eq(actors.id, auditLog.actor))
    .leftJoin(subjects, eq(subjects.id, auditLog.subject))
    .where(condition)
    .orderBy(desc(auditLog.at), desc(auditLog.id))
}

/**
 * SQL for a user's email address, or for the user's id if no address is known. The email address of
 * a deleted user comes from the log entry about the deletion.
 */
function selectAddress(email: PgColumn, id: PgColumn): SQL<string | null> {
  const deletedUserAddress = sql`(select deletions.details ->> 'email' from ${auditLog} deletions
    where deletions.subject = ${id} and deletions.action = ${deleteUserAction} limit 1)`
  return sql`coalesce(${email}, ${deletedUserAddress}, ${id})`
}

async function searchCondition(db: Db, search: string): Promise<SQL | undefined> {
  const shortCode = extractShortCode(search)
  if (shortCode !== null) return eq(shortCodeOf(auditLog.details), shortCode)
  const address = readAddress(search)
  if (address !== null) return eq(auditLog.ipAddress, address)
  const ids = search.includes('@') ? await findUserIds(db, search.toLowerCase()) : [search]
  return or(inArray(auditLog.actor, ids), inArray(auditLog.subject, ids))
}

/** Returns the ids of the user with this email address and of any deleted users who had it. */
async function findUserIds(db: Db, email: string): Promise<string[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.email, email))
    .unionAll(
      db
        .select({ id: sql<string>`${auditLog.subject}` })
        .from(auditLog)
        .where(
          sql`${auditLog.action} = ${deleteUserAction} and ${auditLog.details} ->> 'email' = ${email}`,
        ),
    )
  return rows.map(({ id }) => id)
}
