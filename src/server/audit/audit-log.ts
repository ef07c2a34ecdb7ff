import { auditLog } from '../db/schema.ts'
import type { Db } from '../db/transaction.ts'

/**
 * One line of the audit log: who did what to whom. `auditLog` in `db/audit-table.ts` describes the
 * fields.
 */
export type AuditEntry = Omit<typeof auditLog.$inferInsert, 'id'>

/**
 * Writes lines to the audit log. Pass the transaction of the change, so that the change and its
 * lines exist together or not at all.
 */
export async function writeAudit(tx: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0) await tx.insert(auditLog).values([...entries])
}
