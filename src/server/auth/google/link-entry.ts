import type { AuditEntry } from '../../audit/audit-log.ts'

/**
 * Returns the line of the audit log that tells that Google was linked.
 * @param by the user while signed in, the verified address that both have, or the verified address
 * of an account that nobody had verified.
 */
export function linkEntry(linked: {
  userId: string
  address: string
  now: Date
  by: 'session' | 'address' | 'taking-over'
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
