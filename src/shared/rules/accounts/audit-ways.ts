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
