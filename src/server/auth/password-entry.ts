import type { AuditEntry } from '../audit/audit-log.ts'

/**
 * Returns the line of the audit log about a user whose password was changed.
 * @param by how: `letter`: by the link in a mail that resets it; `session`: while signed in;
 * `taking-over`: by the link in a mail of a signup, which took over an account whose address nobody
 * had verified before.
 */
export function passwordEntry(change: {
  userId: string
  by: 'letter' | 'session' | 'taking-over'
  /** The client's address. */
  address: string
  now: Date
}): AuditEntry {
  const { userId, by, address, now } = change
  return {
    at: now,
    actor: userId,
    action: 'change-password',
    subject: userId,
    ipAddress: address,
    details: { by },
  }
}
