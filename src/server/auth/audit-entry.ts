import type { GoogleLink, PasswordChange } from '../../shared/rules/accounts/audit-action.ts'
import type { AuditEntry } from '../audit/audit-log.ts'

interface Change {
  userId: string
  /** The client's address. */
  address: string
  now: Date
}

/** Returns the audit entry for a user whose password was changed. */
export function passwordEntry({ by, ...change }: Change & { by: PasswordChange }): AuditEntry {
  return entry('change-password', change, { by })
}

/** Returns the audit entry for an account that Google was linked with. */
export function linkEntry({ by, ...change }: Change & { by: GoogleLink }): AuditEntry {
  return entry('link-google', change, { by })
}

/** Returns the audit entry for an account that Google was removed from. */
export function unlinkEntry(change: Change): AuditEntry {
  return entry('unlink-google', change, {})
}

function entry(
  action: AuditEntry['action'],
  { userId, address, now }: Change,
  details: AuditEntry['details'],
): AuditEntry {
  return { at: now, actor: userId, action, subject: userId, ipAddress: address, details }
}
