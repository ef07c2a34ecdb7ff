import type { AuditAction } from '../../shared/rules/accounts/audit-action.ts'
import type { Actor } from '../audit/actor.ts'
import type { AuditEntry } from '../audit/audit-log.ts'

/**
 * Returns the line of the audit log for an action of the administrator that does not concern one
 * particular user.
 */
export function actionEntry(
  action: AuditAction,
  { id, ipAddress }: Actor,
  details: AuditEntry['details'],
  at: Date,
): AuditEntry {
  return { at, actor: id, action, subject: null, ipAddress, details }
}
