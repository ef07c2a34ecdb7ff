/** The kinds of actions that the audit log records. */
export const auditActions = [
  'set-tier',
  'set-role',
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
  'test-storage',
  'test-storage-upload',
  'test-mail',
  'take-down',
  'block-content',
  'dismiss-report',
  'delete-feedback',
] as const

export type AuditAction = (typeof auditActions)[number]

/** The acts of maintenance. For each of them, the Admin Center shows what it did last. */
export const maintenanceActs = [
  'clean-up-expired',
  'expire-files',
  'expire-trials',
  'sanitize-file-names',
  'test-mail',
  'test-storage',
  'test-storage-upload',
] as const satisfies AuditAction[]

export type MaintenanceAct = (typeof maintenanceActs)[number]

/**
 * The greatest length of a search text for the audit log, in characters. The longest such text is
 * the address of a link.
 */
export const longestAuditSearch = 500

/** The name of each action, as the audit log in the Admin Center shows it. */
export const auditActionNames: Readonly<Record<AuditAction, string>> = {
  'set-tier': 'Changed a tier',
  'set-role': 'Changed a role',
  'change-password': 'Changed a password',
  'link-google': 'Linked Google',
  'unlink-google': 'Removed Google',
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
  'delete-feedback': 'Deleted feedback',
}

/*
 * Some actions of the audit log can happen in several ways. The entry names the way in its details,
 * as `by`. These are the possible values.
 */

/**
 * How the owner of an account changed its password. `email`: by the link in an email that resets
 * it. `session`: while signed in. After both, an email tells the owner about the change.
 */
export const ownPasswordChanges = ['email', 'session'] as const
export type OwnPasswordChange = (typeof ownPasswordChanges)[number]

/**
 * How a password was changed. `taking-over`: by the link in an email of a signup, which took over
 * an account whose address nobody had verified before.
 */
export const passwordChanges = [...ownPasswordChanges, 'taking-over'] as const
export type PasswordChange = (typeof passwordChanges)[number]

/**
 * Why Google was linked with an account. `session`: the user was signed in and asked for it.
 * `address`: account and Google have the same verified address. `taking-over`: the same, but nobody
 * had verified the account's address before.
 */
export const googleLinks = ['session', 'address', 'taking-over'] as const
export type GoogleLink = (typeof googleLinks)[number]
