import { aliasedTable, and, desc, eq, lt, or, type SQL, sql } from 'drizzle-orm'
import type { AuditAction } from '../../shared/rules/audit-action.ts'
import { auditLog, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** Which lines of the audit log to list. */
export interface WantedLines {
  limit: number
  /** If it is given, only lines that are older than the line with this id. */
  before?: number | undefined
  /**
   * If it is given, only lines about what the user with this mail address did, or what was done to
   * that user.
   */
  email?: string | undefined
  action?: AuditAction | undefined
}

/**
 * Lists lines of the audit log, newest first, with the mail addresses of the users that each line
 * names.
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
      actor: sql<string | null>`coalesce(${actors.email}, ${auditLog.actor})`,
      subject: sql<string | null>`coalesce(${subjects.email}, ${auditLog.subject})`,
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

function concerns(db: Db, email: string): SQL | undefined {
  const id = db.select({ id: users.id }).from(users).where(eq(users.email, email))
  return or(eq(auditLog.actor, id), eq(auditLog.subject, id))
}
