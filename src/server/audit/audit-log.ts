import type { GoogleLink, PasswordChange } from '../../shared/rules/accounts/audit-action.ts'
import { auditLog } from '../db/schema.ts'
import type { Db } from '../db/transaction.ts'

/** One line of the audit log: who did what to whom (`db/audit-table.ts`). */
export type AuditEntry = Omit<typeof auditLog.$inferInsert, 'id'>

/** The administrator who acts, and the IP address of the request. */
export interface Actor {
  id: string
  ipAddress: string
}

/** Returns the entry for an action of the administrator. `subject` is the user it is about. */
export function adminEntry(
  { id, ipAddress }: Actor,
  at: Date,
  entry: Pick<AuditEntry, 'action' | 'subject' | 'details'>,
): AuditEntry {
  return { at, actor: id, ipAddress, subject: null, ...entry }
}

/** Returns the entry for a change of a user's own account. `address` is the client's. */
export function ownEntry(
  { userId, address, now }: { userId: string; address: string; now: Date },
  change:
    | { action: 'change-password'; details: { by: PasswordChange } }
    | { action: 'link-google'; details: { by: GoogleLink } }
    | { action: 'unlink-google'; details: Record<string, never> },
): AuditEntry {
  return { at: now, actor: userId, subject: userId, ipAddress: address, ...change }
}

/** Writes lines to the audit log. Pass the transaction of the change that they record. */
export async function writeAudit(tx: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0) await tx.insert(auditLog).values([...entries])
}
