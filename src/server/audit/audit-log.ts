import type {
  GoogleLinkReason,
  PasswordChangeMethod,
} from '../../shared/rules/accounts/audit-action.ts'
import { auditLog } from '../db/schema.ts'
import type { Db } from '../db/transaction.ts'

/** A line of the audit log (`db/audit-table.ts`). */
export type AuditEntry = Omit<typeof auditLog.$inferInsert, 'id'>

/** The acting administrator and the request's IP address. */
export interface Actor {
  id: string
  ipAddress: string
}

/** Creates the entry for an administrator's action. `subject` is the affected user. */
export function adminEntry(
  { id, ipAddress }: Actor,
  at: Date,
  entry: Pick<AuditEntry, 'action' | 'subject' | 'details'>,
): AuditEntry {
  return { at, actor: id, ipAddress, subject: null, ...entry }
}

/** Creates the entry for a change of a user's own account. `address` is the client's IP address. */
export function ownEntry(
  { userId, address, now }: { userId: string; address: string; now: Date },
  change:
    | { action: 'change-password'; details: { by: PasswordChangeMethod } }
    | { action: 'link-google'; details: { by: GoogleLinkReason } }
    | { action: 'unlink-google'; details: Record<string, never> },
): AuditEntry {
  return { at: now, actor: userId, subject: userId, ipAddress: address, ...change }
}

/** Writes lines to the audit log. Pass the transaction of the recorded change. */
export async function writeAudit(tx: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0) await tx.insert(auditLog).values([...entries])
}
