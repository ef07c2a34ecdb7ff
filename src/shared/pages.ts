/**
 * The paths for which the single-page application has a screen. At `/`, visitors get the landing
 * page instead. For any other path, the server sends a page of its own: a public page
 * (`public-pages.ts`), the page of a link, or with status 404 the page for an unknown path.
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

/** The pages to which links in emails lead. Their URLs carry a secret token at first. */
export const tokenPages: readonly string[] = ['/reset-password', '/verify-email']
