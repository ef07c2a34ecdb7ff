import type { PasswordChange } from '../../shared/rules/accounts/audit-ways.ts'
import type { AuditEntry } from '../audit/audit-log.ts'

/** Returns the line of the audit log about a user whose password was changed. */
export function passwordEntry(change: {
  userId: string
  by: PasswordChange
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
