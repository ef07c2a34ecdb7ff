/** The kinds of actions that the audit log records. */
export const auditActions = [
  'set-tier',
  'change-password',
  'link-google',
  'unlink-google',
  'change-setting',
  'make-user',
  'delete-user',
  'clean-up-expired',
  'sanitize-file-names',
  'expire-files',
  'expire-trials',
  'test-storage-upload',
] as const

export type AuditAction = (typeof auditActions)[number]
