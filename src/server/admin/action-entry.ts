import type { AuditAction } from '../../shared/rules/audit-action.ts'
import type { AuditEntry } from '../audit/audit-log.ts'
import type { Actor } from './actor.ts'

/** Returns the line of the audit log about an act of the administrator that concerns no one user. */
export function actionEntry(
  action: AuditAction,
  { id, ipAddress }: Actor,
  details: AuditEntry['details'],
  at: Date,
): AuditEntry {
  return { at, actor: id, action, subject: null, ipAddress, details }
}
