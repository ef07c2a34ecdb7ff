/**
 * The paths for which the single-page application has a screen. The server answers any other path
 * with the same HTML and status 404, and the application then shows its not-found page.
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
