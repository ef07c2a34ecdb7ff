import { aliasedTable, and, desc, eq, lt, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { AuditAction } from '../../shared/rules/audit-action.ts'
import { auditLog, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** Which lines of the audit log to list. */
export interface WantedLines {
  limit: number
  /** If it is given, only lines that are older than the line with this id. */
  before?: number | undefined
  /**
   * Selects only the lines about what the user with this mail address did, or about what was done
   * to this user. A deleted user who had this address counts too.
   */
  email?: string | undefined
  action?: AuditAction | undefined
}

/**
 * Lists lines of the audit log, newest first. Each line has the mail addresses of its users. For a
 * deleted user, the line about the deletion still holds the address.
 */
export async function listAudit(db: Db, { limit, before, email, action }: WantedLines) {
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
    .from(auditLog)
    .leftJoin(actors, eq(actors.id, auditLog.actor))
    .leftJoin(subjects, eq(subjects.id, auditLog.subject))
    .where(
      and(
        before === undefined ? undefined : lt(auditLog.id, before),
        action === undefined ? undefined : eq(auditLog.action, action),
        email === undefined ? undefined : concerns(db, email),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit)
}

/** Returns the id of the last entry about what this user did; null if there is none. */
export async function lastLineOf(db: Db, actor: string): Promise<number | null> {
  const [last] = await db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(eq(auditLog.actor, actor))
    .orderBy(desc(auditLog.id))
    .limit(1)
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

function concerns(db: Db, email: string): SQL | undefined {
  const ids = db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.email, email))
    .unionAll(
      db
        .select({ id: sql<string>`${auditLog.subject}` })
        .from(auditLog)
        .where(sql`${isDeletion} and ${auditLog.details} ->> 'email' = ${email}`),
    )
  // Postgres computes the array of ids once, and then looks up each id in the index of the column.
  const isOneOf = (column: PgColumn) => sql`${column} = any(array(${ids}))`
  return or(isOneOf(auditLog.actor), isOneOf(auditLog.subject))
}
