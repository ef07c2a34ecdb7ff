import type { GoogleLink } from '../../../shared/rules/accounts/audit-ways.ts'
import type { AuditEntry } from '../../audit/audit-log.ts'

/** Returns the line of the audit log that says that Google was linked with an account. */
export function linkEntry(linked: {
  userId: string
  address: string
  now: Date
  by: GoogleLink
}): AuditEntry {
  const { userId, address, now, by } = linked
  return {
    at: now,
    actor: userId,
    action: 'link-google',
    subject: userId,
    ipAddress: address,
    details: { by },
  }
}

/** Returns the line of the audit log that says that Google was removed from an account. */
export function unlinkEntry(removed: { userId: string; address: string; now: Date }): AuditEntry {
  const { userId, address, now } = removed
  return {
    at: now,
    actor: userId,
    action: 'unlink-google',
    subject: userId,
    ipAddress: address,
    details: {},
  }
}
