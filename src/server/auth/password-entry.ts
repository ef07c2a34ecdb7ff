import type { AuditEntry } from '../audit/audit-log.ts'

/** Returns the line of the audit log about a user who changed their own password. */
export function passwordEntry(change: {
  userId: string
  /** By the link in a mail, or while signed in. */
  by: 'letter' | 'session'
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
