import type { AuditEntry } from '../../audit/audit-log.ts'

/**
 * Returns the line of the audit log that says that Google was linked with an account.
 * @param by why it was linked: `session`: the user was signed in and asked for it; `address`:
 * account and Google have the same verified address; `taking-over`: the same, but nobody had
 * verified the account's address before.
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
