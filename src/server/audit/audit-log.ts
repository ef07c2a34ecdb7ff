import type { Db } from '../db/db.ts'
import { auditLog } from '../db/schema.ts'

/** One line of the audit log: who did what to whom. See the table for its fields. */
export type AuditEntry = Omit<typeof auditLog.$inferInsert, 'id'>

/**
 * Writes lines to the audit log. Give the transaction of what they tell, so that neither exists
 * without the other.
 */
export async function writeAudit(tx: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0) await tx.insert(auditLog).values([...entries])
}
