import type {
  GoogleLinkReason,
  PasswordChangeMethod,
} from '../../shared/rules/accounts/audit-action.ts'
import { auditLog } from '../db/schema.ts'
import type { Db } from '../db/transaction.ts'

/** An audit log entry to write (see `db/audit-table.ts`). */
export type AuditEntry = Omit<typeof auditLog.$inferInsert, 'id'>

/**
 * The administrator who performs an action, or a user who deletes their account, and the IP address
 * of the request.
 */
export interface Actor {
  id: string
  ipAddress: string
}

/**
 * Creates the audit log entry for an action by the administrator, or for any deletion of a user.
 * `subject` is the affected user.
 */
export function adminEntry(
  { id, ipAddress }: Actor,
  at: Date,
  entry: Pick<AuditEntry, 'action' | 'subject' | 'details'>,
): AuditEntry {
  return { at, actor: id, ipAddress, subject: null, ...entry }
}

/**
 * Creates the audit log entry for a user's change to their own account. `address` is the client's
 * IP address.
 */
export function ownEntry(
  { userId, address, now }: { userId: string; address: string; now: Date },
  change:
    | { action: 'change-password'; details: { by: PasswordChangeMethod } }
    | { action: 'link-google'; details: { by: GoogleLinkReason } }
    | { action: 'unlink-google'; details: Record<string, never> }
    | { action: 'create-key' | 'revoke-key'; details: { name: string; prefix: string } },
): AuditEntry {
  return { at: now, actor: userId, subject: userId, ipAddress: address, ...change }
}

/** Writes entries to the audit log. Pass the transaction that makes the recorded change. */
export async function writeAudit(tx: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0) await tx.insert(auditLog).values([...entries])
}
