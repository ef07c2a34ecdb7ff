/** The kinds of actions that the audit log records. */
export const auditActions = [
  'set-tier',
  'change-password',
  'link-google',
  'unlink-google',
  'change-setting',
  'make-user',
] as const

export type AuditAction = (typeof auditActions)[number]
