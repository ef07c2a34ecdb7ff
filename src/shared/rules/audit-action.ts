/** What the audit log can say that was done. */
export const auditActions = [
  'set-tier',
  'change-password',
  'link-google',
  'unlink-google',
  'change-setting',
] as const

export type AuditAction = (typeof auditActions)[number]
