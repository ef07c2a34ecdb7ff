/**
 * Paths served by the single-page application, except that people who aren't signed in get the
 * landing page at `/`. All other paths are pages that the build renders, link pages, or a 404.
 */
export const appPaths = ['/', '/account', '/admin', '/verify-email', '/reset-password'] as const

/** Pages opened from links in emails. When opened, their URLs contain a secret token. */
export const tokenPaths: readonly string[] = ['/reset-password', '/verify-email']

/** The landing page with a note, shown to people who have just deleted their account. */
export const accountDeletedPath = '/#account-deleted'
