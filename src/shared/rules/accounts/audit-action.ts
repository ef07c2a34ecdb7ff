/** The actions that the audit log records. */
export const auditActions = [
  'set-tier',
  'set-role',
  'change-password',
  'link-google',
  'unlink-google',
  'create-key',
  'revoke-key',
  'change-setting',
  'make-user',
  'delete-user',
  'clean-up-expired',
  'sanitize-file-names',
  'expire-files',
  'expire-trials',
  'test-storage',
  'test-storage-upload',
  'test-mail',
  'take-down',
  'block-content',
  'dismiss-report',
  'close-request',
  'delete-feedback',
] as const

export type AuditAction = (typeof auditActions)[number]

/** Maintenance actions. The Admin Center shows the last result of each. */
export const maintenanceActions = [
  'clean-up-expired',
  'expire-files',
  'expire-trials',
  'sanitize-file-names',
  'test-mail',
  'test-storage',
  'test-storage-upload',
] as const satisfies AuditAction[]

export type MaintenanceActionName = (typeof maintenanceActions)[number]

/** Maximum length of an audit log search, in characters. Long enough for the URL of a link. */
export const maxAuditSearchLength = 500

/** The display name of each action in the Admin Center. */
export const auditActionNames: Readonly<Record<AuditAction, string>> = {
  'set-tier': 'Changed a tier',
  'set-role': 'Changed a role',
  'change-password': 'Changed a password',
  'link-google': 'Linked Google',
  'unlink-google': 'Removed Google',
  'create-key': 'Created an API key',
  'revoke-key': 'Revoked an API key',
  'change-setting': 'Changed a setting',
  'make-user': 'Added a user',
  'delete-user': 'Deleted a user',
  'clean-up-expired': 'Cleaned up expired files',
  'sanitize-file-names': 'Sanitized filenames',
  'expire-files': 'Expired files',
  'expire-trials': 'Expired trials',
  'test-storage': 'Tested the storage connection',
  'test-storage-upload': 'Tested a storage upload',
  'test-mail': 'Sent a test email',
  'take-down': 'Took a file down',
  'block-content': 'Blocked content',
  'dismiss-report': 'Dismissed a report',
  'close-request': 'Closed a request',
  'delete-feedback': 'Deleted feedback',
}

/*
 * Some actions can happen in several ways, and the `by` detail of the audit log entry says which.
 * The possible values are below.
 */

/**
 * How users change their own passwords: `email` with a reset link, `session` while signed in. In
 * both cases, the user gets an email about the change.
 */
export const ownPasswordChangeMethods = ['email', 'session'] as const
export type OwnPasswordChangeMethod = (typeof ownPasswordChangeMethods)[number]

/**
 * All the ways in which a password can change. `taking-over`: with a signup link that took over an
 * account whose email address was unverified.
 */
export const passwordChangeMethods = [...ownPasswordChangeMethods, 'taking-over'] as const
export type PasswordChangeMethod = (typeof passwordChangeMethods)[number]

/**
 * Why Google was linked to an account. `session`: the user requested it while signed in. `address`:
 * Google and the account have the same verified email address. `taking-over`: they have the same
 * email address, but it was unverified in the account.
 */
export const googleLinkReasons = ['session', 'address', 'taking-over'] as const
export type GoogleLinkReason = (typeof googleLinkReasons)[number]
