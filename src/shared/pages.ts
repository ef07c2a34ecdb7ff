/**
 * The paths for which the single-page application has a screen. The server answers any other path
 * itself: the public pages (`public-pages.ts`), links, and with status 404 what leads nowhere.
 */
export const pages = [
  '/',
  '/login',
  '/signup',
  '/account',
  '/admin',
  '/verify-email',
  '/reset-password',
] as const

/** The pages to which links in mails lead. Their URLs carry a secret token at first. */
export const tokenPages: readonly string[] = ['/reset-password', '/verify-email']
